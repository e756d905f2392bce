/*
 * The clock of all events, and of everything the recorder itself puts off or repeats.
 */
#ifndef MEMTRACE_TRACER_CLOCK_H
#define MEMTRACE_TRACER_CLOCK_H

#include <stdint.h>

// CLOCK_MONOTONIC in ns, through the vDSO. The kernel keeps it from running backwards, from one processor to the next
// too.
uint64_t mt_now_ns(void);

#endif
