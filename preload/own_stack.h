/*
 * Stacks of our own. Recording an event takes more stack than a thread, a signal handler or a coroutine of the program
 * may have left, so it is done on one of these. A stack is held for one event: there are as many as threads that are
 * recording at the same moment. What only one recording thread may use at a time, and many in turn, hangs on its stack.
 * Used by guard.c.
 */
#ifndef MEMTRACE_PRELOAD_OWN_STACK_H
#define MEMTRACE_PRELOAD_OWN_STACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The driver, the loader and handlers of the program's signals run here, too. Pages that are never used cost nothing.
enum { MT_OWN_STACK_BYTES = 1 << 20 };

struct __attribute__((aligned(64))) mt_own_stack {
    _Atomic(int) state;
    char *bottom;
    struct mt_python_known *python_known; // python/known.h
};

// A stack for this thread, which last had *number; NULL when there is no memory for one. Async-signal-safe.
struct mt_own_stack *mt_own_stack_take(uint16_t *number);
void mt_own_stack_give(struct mt_own_stack *stack);

// Instead of mt_own_stack_give, for a stack that was jumped out of: it may only have been suspended, so it is taken
// again when nothing else is left.
void mt_own_stack_abandon(struct mt_own_stack *stack);

static inline bool mt_own_stack_holds(const struct mt_own_stack *stack, uintptr_t address) {
    return address - (uintptr_t)stack->bottom < MT_OWN_STACK_BYTES;
}

// Calls work(argument, here) on the stack. `here` is the frame pointer of this very function, on the caller's stack:
// what unwinds, steps from there to the caller.
typedef void mt_own_stack_work(void *argument, uintptr_t here);
void mt_own_stack_call(mt_own_stack_work *work, void *argument, void *top) __attribute__((visibility("hidden")));

static inline void *mt_own_stack_top(const struct mt_own_stack *stack) {
    return stack->bottom + MT_OWN_STACK_BYTES;
}

#endif
