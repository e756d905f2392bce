/*
 * The session: the one trace of this process, from cuInit (InitializeInjection) to the very end of exit. Starting it is
 * idempotent; it is never restarted, and a forked child never inherits it (guard.h). Called by the injection entry
 * point and the feeds.
 */
#ifndef MEMTRACE_PRELOAD_SESSION_H
#define MEMTRACE_PRELOAD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/trace.h"

// Starts the session unless there is or was one in this process. False when there is none to record into. A second
// thread that comes in meanwhile is not made to wait.
bool mt_session_start(void);

// Seals the trace; `how` is the value of MT_FACT_ENDED. Later events are dropped. No CUDA call, no loader lock.
void mt_session_end(const char *how);

// The trace; NULL before the start. Stays valid until the process is gone.
struct mt_trace *mt_session_trace(void);

// False once exit has begun: CUDA must not be called any more then, recording still works.
bool mt_session_may_call_cuda(void);

// Whether launches are recorded with their call stacks.
bool mt_session_launch_stacks(void);

// The id of the row `entry` (enum mt_entry of entry_table.h) in this trace.
uint32_t mt_session_api(unsigned entry);

#endif
