/*
 * Re-entrancy: what a thread does inside the tracer must not be traced, must not disturb errno, must not need the stack
 * that the program's thread has left, and must not happen at all in a process without a live session (before cuInit, in
 * a forked child, after the end).
 *
 * Every way into the recorder goes through mt_guarded. A thread is inside as long as mt_thread.inside says on which of
 * our stacks it works. It may leave by other ways than a return: a signal handler jumps out, an exception passes. So
 * who comes in while it is set looks where the stack pointer is: on that stack or on the handlers' own it is a call
 * from within, which is not recorded; anywhere else, the work was left.
 *
 * The state lives in initial-exec TLS, since the first access to a dynamic TLS block calls malloc, which may be what
 * called us. The block is small: it comes out of the loader's spare static TLS when the library is dlopen'ed
 * (CUDA_INJECTION64_PATH without LD_PRELOAD).
 */
#ifndef MEMTRACE_PRELOAD_GUARD_H
#define MEMTRACE_PRELOAD_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/own_stack.h"
#include "tracer/trace.h"

struct mt_thread {
    struct mt_own_stack *inside; // NULL: outside of our code
    uintptr_t here;              // inside: where the program's call stack begins (own_stack.h)
    struct mt_lane *lane;        // of the live session's trace, owned by this thread; NULL before its first event
    void *context;               // the CUcontext last seen here …
    uint32_t context_id;         // … its id …
    uint32_t context_epoch;      // … and the context map's epoch at that time
    uint32_t tid;
    uintptr_t search_at; // where on the stack the innermost hooked lookup function is (hooks/lookup.c)
    uint16_t own_stack;  // number of the one it had last
    bool asking;         // the driver, by a call that CUPTI may show us,
    uint8_t mode_before; // with this CUstreamCaptureMode to be put back (effects/capture.h)
};
extern __thread struct mt_thread mt_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Whether what runs at `at` on a stack was called, in the end, by what runs at `caller`. A call may be left by a jump,
// and then what was noted of it stands on: it holds below the caller's place alone, and no further than calls reach.
static inline bool mt_stack_within(uintptr_t at, uintptr_t caller) {
    enum { REACH = 256 * 1024 };
    return caller - at - 1 < REACH;
}

// Points at a word that says whether a session records in *this* process. It is wiped by fork (MADV_WIPEONFORK), so
// that a child of any kind finds none.
enum mt_alive { MT_ALIVE_NONE, MT_ALIVE_RECORDS, MT_ALIVE_OVER };
extern _Atomic(uint32_t) *mt_alive __attribute__((visibility("hidden")));

static inline bool mt_records(void) {
    return atomic_load_explicit(mt_alive, memory_order_acquire) == MT_ALIVE_RECORDS;
}

typedef void mt_guarded_work(void *argument);

// mt_guarded in a process that has or had a session (guard.c).
bool mt_guard_run(mt_guarded_work *work, void *argument);

// Records an event: does the work inside, with the thread's lane in mt_thread.lane. False: not done, since nothing
// is to be recorded or can be; an event that is lost by that is counted, those after the session's end as well.
static inline bool mt_guarded(mt_guarded_work *work, void *argument) {
    return atomic_load_explicit(mt_alive, memory_order_acquire) != MT_ALIVE_NONE && mt_guard_run(work, argument);
}

// Does work that records no event inside, session or not, stream or not. False: this thread is inside already, or there
// is no memory.
bool mt_guarded_aside(mt_guarded_work *work, void *argument);

// This thread will not go on with what it was doing inside, if it was: exit was called in a signal handler.
void mt_guard_abandon(void);

// Makes the thread's stream (thread.c). False when there is no memory for one.
bool mt_thread_attach(void);

// What this thread was recording was left, and is lost. Its stream goes on unless it is in the middle of a record
// (thread.c).
void mt_thread_left(void);

#endif
