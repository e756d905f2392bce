/*
 * What the recorder's slow paths put on before they take a lock or enter the kernel inside someone else's thread: the
 * host's errno is kept, its thread can't be cancelled while we hold a lock, and no signal handler of its can jump out
 * of the middle. Signals that a fault raises stay open, since blocking those kills the process.
 */
#ifndef MEMTRACE_TRACER_GUARD_H
#define MEMTRACE_TRACER_GUARD_H

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

struct mt_guard {
    int error;
    int cancel;
    sigset_t signals;
};

static inline void mt_guard_enter(struct mt_guard *guard) {
    sigset_t all;
    guard->error = errno;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGTRAP);
    sigdelset(&all, SIGSYS);
    sigprocmask(SIG_BLOCK, &all, &guard->signals); // on Linux it acts on the calling thread alone
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
}

static inline void mt_guard_leave(const struct mt_guard *guard) {
    int unused;
    pthread_setcancelstate(guard->cancel, &unused);
    sigprocmask(SIG_SETMASK, &guard->signals, NULL);
    errno = guard->error;
}

// Takes away the signal that a call under the guard has raised, as a write to a closed pipe or past a limit does: the
// program made no such call and should not die of it.
static inline void mt_guard_drop(int signal_number) {
    const struct timespec now = {0, 0};
    sigset_t raised;
    sigemptyset(&raised);
    sigaddset(&raised, signal_number);
    sigtimedwait(&raised, NULL, &now);
}

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
