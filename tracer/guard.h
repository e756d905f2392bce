/*
 * What the recorder's slow paths put on before they take a lock or enter the kernel inside someone else's thread: the
 * host's errno is kept, its thread can't be cancelled while we hold a lock, and no signal handler of its can jump out
 * of the middle. Signals that a fault raises stay open, since blocking those kills the process.
 */
#ifndef MEMTRACE_TRACER_GUARD_H
#define MEMTRACE_TRACER_GUARD_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>

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

#endif
