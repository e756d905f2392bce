/*
 * The lock of all recorders: short critical sections inside someone else's thread, under which nothing foreign runs.
 */
#ifndef MEMTRACE_TRACER_LOCK_H
#define MEMTRACE_TRACER_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// A futex lock: no initialiser beyond zero, nothing to destroy, and only C11 atomics for a race detector to follow.
struct mt_lock {
    _Atomic int state; // 0 free, 1 held, 2 held and somebody may sleep on it
};

static inline void mt_lock_take(struct mt_lock *lock) {
    int expected = 0;
    if (atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire, memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static inline void mt_lock_drop(struct mt_lock *lock) {
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif
