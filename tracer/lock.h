/*
 * The lock of all recorders: short critical sections inside someone else's thread, under which nothing foreign runs. No
 * signal handler can jump out of one, and no cancellation end it, since whoever holds the lock has its guard up.
 */
#ifndef MEMTRACE_TRACER_LOCK_H
#define MEMTRACE_TRACER_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/guard.h"

// A futex lock: no initialiser beyond zero, nothing to destroy, and only C11 atomics for a race detector to follow.
struct mt_lock {
    _Atomic int state;     // 0 free, 1 held, 2 held and somebody may sleep on it
    struct mt_guard guard; // of who holds it
};

static inline void mt_lock_take(struct mt_lock *lock) {
    struct mt_guard guard;
    int expected = 0;
    mt_guard_enter(&guard);
    if (!atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                 memory_order_relaxed)) {
        while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
            syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    }
    lock->guard = guard;
}

static inline void mt_lock_drop(struct mt_lock *lock) {
    struct mt_guard guard = lock->guard;
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    mt_guard_leave(&guard);
}

#endif
