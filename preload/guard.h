/*
 * Re-entrancy: what a thread does inside the tracer must not be traced, must not disturb errno, and must not happen at
 * all in a process without a live session (before cuInit, in a forked child, after the end).
 *
 * Every way into the recorder goes   if (!mt_guard_enter()) return; … mt_guard_leave();
 * The depth is a *counter*, not a flag: a signal handler or a library's hook may come in at any instruction, and only
 * the outermost level may record. It lives in initial-exec TLS, since the first access to a dynamic TLS block calls
 * malloc, which may be what called us. The block is small: it comes out of the loader's spare static TLS when the
 * library is dlopen'ed (CUDA_INJECTION64_PATH without LD_PRELOAD).
 */
#ifndef MEMTRACE_PRELOAD_GUARD_H
#define MEMTRACE_PRELOAD_GUARD_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/trace.h"

struct mt_thread {
    struct mt_stream *stream; // of the live session's trace, owned by this thread; NULL before its first event
    void *context;            // the CUcontext last seen here …
    uint32_t context_id;      // … its id …
    uint32_t context_epoch;   // … and the context map's epoch at that time
    uint32_t tid;
    uint32_t depth;
    uint32_t hooks;    // symbol hooks that this thread is in; these four belong to the hook feed
    uint32_t handled;  // calls of this thread that some feed has handled, wrapping around (hooks/call.h)
    uint16_t outer;    // row + 1 of the outer hook that this thread is in
    uint16_t searches; // hooked lookup functions that this thread is in (hooks/lookup.c)
    int saved_errno;
};
extern __thread struct mt_thread mt_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Points at a word that is 1 while a session records in *this* process. The word is wiped by fork (MADV_WIPEONFORK), so
// that a child of any kind finds 0 there.
extern _Atomic(uint32_t) *mt_alive __attribute__((visibility("hidden")));

// Makes the thread's stream (thread.c). False when there is no memory for one.
bool mt_thread_attach(void);

static inline bool mt_guard_enter(void) {
    if (!atomic_load_explicit(mt_alive, memory_order_acquire)) return false;
    if (mt_thread.depth++) {
        mt_thread.depth--;
        return false;
    }
    mt_thread.saved_errno = errno;
    if (mt_thread.stream || mt_thread_attach()) return true;
    mt_thread.depth--;
    errno = mt_thread.saved_errno;
    return false;
}

static inline void mt_guard_leave(void) {
    errno = mt_thread.saved_errno;
    mt_thread.depth--;
}

#endif
