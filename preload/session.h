/*
 * The session as the parts that record see it: the one trace of this process, from cuInit to the very end of exit. A
 * forked child never inherits it (guard.h). It is begun and ended by lifetime.c, which alone writes here.
 */
#ifndef MEMTRACE_PRELOAD_SESSION_H
#define MEMTRACE_PRELOAD_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/entries.h"
#include "tracer/trace.h"

enum mt_phase { MT_PHASE_NONE, MT_PHASE_STARTING, MT_PHASE_LIVE, MT_PHASE_EXITING, MT_PHASE_OVER };

struct mt_session {
    _Atomic(enum mt_phase) phase;
    _Atomic(struct mt_trace *) trace; // set once, never cleared
    // Written before the session is live, constant afterwards.
    uint32_t api_ids[MT_ENTRY_COUNT];
    bool launch_stacks;
};
extern struct mt_session mt_session __attribute__((visibility("hidden")));

// The trace; NULL before the start. Stays valid until the process is gone.
struct mt_trace *mt_session_trace(void);

// False once exit has begun: CUDA must not be called any more then, recording still works.
bool mt_session_may_call_cuda(void);

// Whether launches are recorded with their call stacks.
bool mt_session_launch_stacks(void);

// The id of the row `entry` (enum mt_entry of entries.h) in this trace.
uint32_t mt_session_api(unsigned entry);

#endif
