/*
 * See clock.h. In a file of its own, since tests put another clock in its place.
 */
#include "tracer/clock.h"

#include <time.h>

uint64_t mt_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
