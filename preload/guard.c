/*
 * The way in, see guard.h. The order of steps matters to signal handlers: `inside` is set and reset on our own stack,
 * so a stack pointer outside of it always means that the stack was left.
 */
#include "preload/guard.h"

#include <errno.h>
#include <signal.h>

#include "preload/effects/capture.h"
#include "preload/session.h"

struct visit {
    mt_guarded_work *work;
    void *argument;
    struct mt_own_stack *stack;
    bool records;
    bool done;
};

static bool on_signal_stack(void) {
    stack_t signals;
    return sigaltstack(NULL, &signals) == 0 && signals.ss_flags & SS_ONSTACK;
}

// What was being recorded is lost, and its stack with what hangs on it is left alone.
static void leave_behind(struct mt_own_stack *stack) {
    mt_ask_left();
    mt_thread.inside = NULL;
    mt_own_stack_abandon(stack);
    mt_thread_left();
}

static bool is_inside(void) {
    struct mt_own_stack *stack = mt_thread.inside;
    if (!stack) return false;
    if (mt_own_stack_holds(stack, (uintptr_t)__builtin_frame_address(0)) || on_signal_stack()) return true;
    leave_behind(stack);
    return false;
}

// Coroutines that signal handlers switch between come back: one ended its visit, while another is still in a record.
static void leave_begun_record(void) {
    if (mt_thread.lane && !mt_lane_whole(mt_thread.lane)) mt_thread.lane = NULL;
}

static void visit(void *argument, uintptr_t here) {
    struct visit *visit = argument;
    mt_thread.inside = visit->stack;
    atomic_signal_fence(memory_order_seq_cst);
    mt_thread.here = here;
    leave_begun_record();
    if (!visit->records || mt_thread.lane || mt_thread_attach()) {
        visit->work(visit->argument);
        visit->done = true;
    }
    atomic_signal_fence(memory_order_seq_cst);
    mt_thread.inside = NULL;
}

// False without memory for a stack.
static bool run(struct visit *what) {
    what->stack = mt_own_stack_take(&mt_thread.own_stack);
    if (!what->stack) return false;
    mt_own_stack_call(visit, what, mt_own_stack_top(what->stack));
    mt_own_stack_give(what->stack);
    return true;
}

bool mt_guard_run(mt_guarded_work *work, void *argument) {
    struct visit what = {.work = work, .argument = argument, .records = true};
    int saved_errno = errno;
    if (!mt_records()) {
        mt_trace_lose_event(mt_session_trace(), ESHUTDOWN);
    } else if (is_inside()) {
        // Our own questions to the driver come here as calls, too, and are none of the program's.
        if (!mt_thread.asking) mt_trace_lose_event(mt_session_trace(), EINTR);
    } else if (!run(&what)) {
        mt_trace_lose_event(mt_session_trace(), ENOMEM);
    }
    errno = saved_errno;
    return what.done;
}

bool mt_guarded_aside(mt_guarded_work *work, void *argument) {
    struct visit what = {.work = work, .argument = argument, .records = false};
    int saved_errno = errno;
    if (!is_inside()) run(&what);
    errno = saved_errno;
    return what.done;
}

void mt_guard_abandon(void) {
    if (mt_thread.inside) leave_behind(mt_thread.inside);
}
