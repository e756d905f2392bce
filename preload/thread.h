/*
 * Switching the recording of all threads on and off; called by the session alone. The per-thread side is guard.h.
 */
#ifndef MEMTRACE_PRELOAD_THREAD_H
#define MEMTRACE_PRELOAD_THREAD_H

#include <stdbool.h>

// Prepares; recording is off until mt_threads_record(true). 0 or -errno.
int mt_threads_start(void);

void mt_threads_record(bool on);

#endif
