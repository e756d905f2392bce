/*
 * The variable of family.h: "NUMBER:LEVEL:PID", of the process that set it. A program that another has become by exec
 * has that one's place; a fork is below the process that it is a copy of.
 */
#include "preload/family.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tracer/clock.h"

#define VARIABLE "MEMTRACE_FAMILY"

// Written once, constant afterwards.
static struct mt_family family;
static pid_t loaded_pid;

static uint64_t new_number(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t number = ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 48;
    return number ? number : 1;
}

void mt_family_learn(void) {
    char text[64];
    const char *left = getenv(VARIABLE);
    long pid = 0;
    loaded_pid = getpid();
    if (!left || sscanf(left, "%" SCNx64 ":%" SCNu32 ":%ld", &family.number, &family.level, &pid) != 3)
        family = (struct mt_family){.number = new_number()};
    else if (pid != (long)loaded_pid)
        family.level++;
    family.since_ns = mt_now_ns();
    snprintf(text, sizeof text, "%" PRIx64 ":%" PRIu32 ":%ld", family.number, family.level, (long)loaded_pid);
    setenv(VARIABLE, text, 1);
}

struct mt_family mt_family_now(void) {
    struct mt_family now = family;
    if (getpid() != loaded_pid) now.level++;
    return now;
}
