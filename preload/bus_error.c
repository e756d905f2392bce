/*
 * Our handler of SIGBUS, see bus_error.h. A program may set its own at any time (a JVM, faulthandler, a crash
 * reporter): `sigaction` and `signal` are interposed for this one signal, so that its handler stands behind ours and it
 * reads back what it set. Without LD_PRELOAD, or by a bare system call, a handler that is set later takes our place.
 */
#include "preload/bus_error.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/real_dlsym.h"
#include "tracer/lock.h"
#include "tracer/trace.h"

#define EXPORT __attribute__((visibility("default")))

// glibc's own, under names that nobody interposes.
#pragma weak __sigaction
#pragma weak ssignal
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

typedef int sigaction_fn(int number, const struct sigaction *action, struct sigaction *old);
typedef sighandler_t signal_fn(int number, sighandler_t handler);

static int real_sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    sigaction_fn *real = __sigaction ? __sigaction : (sigaction_fn *)mt_next_symbol("sigaction");
    return real(number, action, old);
}

static sighandler_t real_signal(int number, sighandler_t handler) {
    signal_fn *glibc = ssignal, *real = glibc ? glibc : (signal_fn *)mt_next_symbol("signal");
    return real(number, handler);
}

static struct mt_lock lock;
// Under lock.
static bool started;
static struct sigaction theirs; // what the program set

// With all signals blocked: the handler takes the lock, too.
static void take(sigset_t *blocked_before) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, blocked_before);
    mt_lock_take(&lock);
}

static void drop(const sigset_t *blocked_before) {
    mt_lock_drop(&lock);
    sigprocmask(SIG_SETMASK, blocked_before, NULL);
}

static struct sigaction read_theirs(void) {
    sigset_t blocked;
    take(&blocked);
    struct sigaction action = theirs;
    if (action.sa_flags & SA_RESETHAND) theirs.sa_handler = SIG_DFL;
    drop(&blocked);
    return action;
}

// The program ends by the signal, as it would without us: the fault comes again, or the signal that was sent does.
static void die(bool is_fault) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t bus;
    real_sigaction(SIGBUS, &action, NULL);
    if (is_fault) return;
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGBUS);
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    sigprocmask(SIG_UNBLOCK, &bus, NULL);
}

static void pass_on(int number, siginfo_t *info, void *context) {
    bool is_fault = info->si_code > 0; // and not by kill or sigqueue
    struct sigaction action = read_theirs();
    if (action.sa_handler == SIG_IGN && !is_fault) return;
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
        die(is_fault);
        return;
    }
    // What the kernel does before it enters a handler. Afterwards it restores the mask itself.
    sigprocmask(SIG_BLOCK, &action.sa_mask, NULL);
    if (action.sa_flags & SA_NODEFER) {
        sigset_t bus;
        sigemptyset(&bus);
        sigaddset(&bus, number);
        sigprocmask(SIG_UNBLOCK, &bus, NULL);
    }
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
}

static void handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    bool rescued = info->si_code > 0 && mt_view_rescue(info->si_addr);
    errno = error;
    if (!rescued) pass_on(number, info, context);
}

// Under lock. Which stack a handler runs on, and whether system calls go on after it, is as the program wants it.
static int install(void) {
    bool has_handler = theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    if (has_handler) action.sa_flags = SA_SIGINFO | (theirs.sa_flags & (SA_ONSTACK | SA_RESTART));
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGSEGV);
    sigdelset(&action.sa_mask, SIGILL);
    sigdelset(&action.sa_mask, SIGFPE);
    sigdelset(&action.sa_mask, SIGTRAP);
    return real_sigaction(SIGBUS, &action, NULL);
}

void mt_bus_error_start(void) {
    sigset_t blocked;
    take(&blocked);
    started = real_sigaction(SIGBUS, NULL, &theirs) == 0 && install() == 0;
    drop(&blocked);
}

void mt_bus_error_forked(void) {
    lock = (struct mt_lock){.state = 0};
}

// True if SIGBUS is ours to answer for; then `old` and the setting have been dealt with.
static bool exchange(const struct sigaction *action, struct sigaction *old) {
    sigset_t blocked;
    struct sigaction wanted = action ? *action : (struct sigaction){.sa_flags = 0}, before;
    take(&blocked);
    bool is_ours = started;
    before = theirs;
    if (is_ours && action) {
        theirs = wanted;
        install();
    }
    drop(&blocked);
    if (is_ours && old) *old = before;
    return is_ours;
}

EXPORT int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old) {
    if (number == SIGBUS && exchange(action, old)) return 0;
    return real_sigaction(number, action, old);
}

EXPORT sighandler_t signal(int number, sighandler_t handler) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    if (number != SIGBUS || handler == SIG_ERR) return real_signal(number, handler);
    sigaddset(&action.sa_mask, SIGBUS);
    return exchange(&action, &old) ? old.sa_handler : real_signal(number, handler);
}
