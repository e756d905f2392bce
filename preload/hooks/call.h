/*
 * What happens around the real call in a symbol hook. A call may be seen several times on its way: by an outer hook, an
 * inner one, and CUPTI's callback inside the driver. The innermost that records handles it, and says so by counting;
 * whoever finds, when the call returns, that it was handled below stays silent. So each call is recorded exactly once,
 * also while the feed changes in the middle of it.
 */
#ifndef MEMTRACE_PRELOAD_HOOKS_CALL_H
#define MEMTRACE_PRELOAD_HOOKS_CALL_H

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/entry_table.h"
#include "preload/guard.h"
#include "preload/hooks/table.h"

// What the hooks do with calls: nothing (CUPTI records), record them, or check that CUPTI did.
enum mt_hook_mode { MT_HOOKS_IDLE, MT_HOOKS_RECORD, MT_HOOKS_CHECK };
extern _Atomic(enum mt_hook_mode) mt_hook_mode;

// Rows that the process's CUPTI is too old to know: the hooks record them while it records the rest. Written before the
// session is live.
extern bool mt_hook_uncovered[MT_ENTRY_COUNT];

struct mt_hook {
    uint64_t enter_ns;
    uint32_t handled;   // the thread's count when the call began
    uint16_t outer;     // the outer hook that it was in then,
    uintptr_t outer_at; // and where
    uintptr_t hook_at;  // the hook that it was in then
};

// The function to call; NULL when there is none, and then the hook must not end.
static inline void *mt_hook_begin(struct mt_hook *hook, unsigned row, enum mt_hook_layer layer) {
    bool records =
        atomic_load_explicit(&mt_hook_mode, memory_order_relaxed) == MT_HOOKS_RECORD || mt_hook_uncovered[row];
    // Somebody else's function that calls its own name comes back here: from then on it is the driver's turn.
    uintptr_t here = (uintptr_t)hook;
    if (mt_thread.outer == row + 1 && mt_stack_within(here, mt_thread.outer_at)) layer = MT_HOOK_INNER;
    void *real = mt_hook_real(row, layer);
    if (!real) return NULL;
    hook->enter_ns = records && mt_entry_points[row].stamped ? mt_now_ns() : 0;
    hook->handled = mt_thread.handled;
    hook->outer = mt_thread.outer;
    hook->outer_at = mt_thread.outer_at;
    hook->hook_at = mt_thread.hook_at;
    if (layer == MT_HOOK_OUTER) {
        mt_thread.outer = (uint16_t)(row + 1);
        mt_thread.outer_at = here;
    }
    mt_thread.hook_at = here;
    return real;
}

// True if the call is still to be recorded or checked.
static inline bool mt_hook_end(const struct mt_hook *hook, unsigned row) {
    mt_thread.hook_at = hook->hook_at;
    mt_thread.outer = hook->outer;
    mt_thread.outer_at = hook->outer_at;
    if (mt_thread.handled != hook->handled) return false;
    return atomic_load_explicit(&mt_hook_mode, memory_order_relaxed) != MT_HOOKS_IDLE || mt_hook_uncovered[row];
}

// Records or checks it. `params`: the row's parameter struct.
void mt_hook_handle(const struct mt_hook *hook, unsigned row, const void *params, CUresult result);

// Calls that only one of the two feeds saw, when they check each other.
struct mt_hook_differences {
    uint64_t only_hooks, only_cupti;
};
struct mt_hook_differences mt_hook_differences(void);

// CUPTI's callback has handled a call of this thread.
void mt_hook_seen_by_cupti(void);

#endif
