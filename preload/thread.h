/*
 * Switching the recording of all threads on and off; called by the session alone. The per-thread side is guard.h.
 */
#ifndef MEMTRACE_PRELOAD_THREAD_H
#define MEMTRACE_PRELOAD_THREAD_H

#include "preload/guard.h"

// Prepares; recording is off until mt_threads_record(MT_ALIVE_RECORDS). 0 or -errno.
int mt_threads_start(void);

void mt_threads_record(enum mt_alive alive);

#endif
