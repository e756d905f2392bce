/*
 * The processes that one command has started, and which of them is above which: a trace's name goes to the one above
 * (mt_trace_create_as). They know it by a variable in the environment, MEMTRACE_FAMILY, which is ours alone.
 */
#ifndef MEMTRACE_PRELOAD_FAMILY_H
#define MEMTRACE_PRELOAD_FAMILY_H

#include <stdint.h>

// Reads what the process above has left, and leaves it for those below. Once, by the constructor.
void mt_family_learn(void);

struct mt_family {
    uint64_t number;   // other than 0
    uint32_t level;    // how many traced processes are above
    uint64_t since_ns; // mt_now_ns() when the program began
};

// Of this process, which may be a fork of the one that was loaded.
struct mt_family mt_family_now(void);

#endif
