/*
 * What happens around the real call in a symbol hook. A call may be seen several times on its way: by an outer hook, an
 * inner one, and CUPTI's callback inside the driver. The innermost that records it does so, and notes the row and how
 * the call ended; who finds, when the call returns, that the same was noted below stays silent. So each call is
 * recorded exactly once, also while the feed changes in the middle of it. Other calls within it are calls of their own:
 * another interposer may wait for the device, make room or try again before it goes on.
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

// What the hooks do with calls: nothing (there is no session), record those that CUPTI leaves out, record all, or check
// that CUPTI did.
enum mt_hook_mode { MT_HOOKS_IDLE, MT_HOOKS_STAND_BY, MT_HOOKS_RECORD, MT_HOOKS_CHECK };
extern _Atomic(enum mt_hook_mode) mt_hook_mode;

// Rows that the process's CUPTI is too old to know: the hooks record them while it records the rest. Written before the
// session is live.
extern bool mt_hook_uncovered[MT_ENTRY_COUNT];

// A set of rows. A _ptsz form and its plain twin, the row before it, are one: an interposer may go on to either.
struct mt_hook_rows {
    uint64_t words[(MT_ENTRY_COUNT + 63) / 64];
};

static inline bool mt_hook_rows_have(const struct mt_hook_rows *rows, unsigned row) {
    row -= mt_entry_points[row].per_thread_stream;
    return rows->words[row / 64] >> (row % 64) & 1;
}

static inline void mt_hook_rows_add(struct mt_hook_rows *rows, unsigned row) {
    row -= mt_entry_points[row].per_thread_stream;
    rows->words[row / 64] |= UINT64_C(1) << (row % 64);
}

// Where a thread is among the hooks. A hook saves it and puts it back. What a thread leaves behind that jumps out of
// one is known by the place on the stack that it is for.
struct mt_hook_place {
    uintptr_t at;                // of the innermost hook, on the stack
    uintptr_t outer_at;          // of the innermost outer one …
    unsigned outer;              // … and its row + 1; 0: in none
    bool recorded;               // something was, since the innermost hook began …
    struct mt_hook_rows done[2]; // … and which rows: calls that failed, calls that succeeded
    struct mt_hook_rows entered; // rows of all hooks that the thread is in
};
extern __thread struct mt_hook_place mt_hook_place __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct mt_hook {
    void *real; // the function to call
    uint64_t enter_ns;
    bool nested;                  // other calls were recorded within this one
    struct mt_hook_place outside; // where the thread was when the call began
};

// The function to call; NULL when there is none, and then the hook must not end.
static inline void *mt_hook_begin(struct mt_hook *hook, unsigned row, enum mt_hook_layer layer) {
    struct mt_hook_place *place = &mt_hook_place;
    uintptr_t here = (uintptr_t)hook;
    // Somebody else's function that calls its own name comes back here: from then on it is the driver's turn.
    if (place->outer == row + 1 && mt_stack_within(here, place->outer_at)) layer = MT_HOOK_INNER;
    hook->real = mt_hook_real(row, layer);
    if (!hook->real) return NULL;
    bool idle = atomic_load_explicit(&mt_hook_mode, memory_order_relaxed) == MT_HOOKS_IDLE;
    hook->enter_ns = !idle && mt_entry_points[row].stamped ? mt_now_ns() : 0;
    hook->outside = *place;
    if (layer == MT_HOOK_OUTER) {
        place->outer = row + 1;
        place->outer_at = here;
    }
    if (!mt_stack_within(here, place->at)) place->entered = (struct mt_hook_rows){{0}};
    place->at = here;
    place->recorded = false;
    place->done[0] = place->done[1] = (struct mt_hook_rows){{0}};
    mt_hook_rows_add(&place->entered, row);
    return hook->real;
}

// True if the call is still to be recorded or checked.
static inline bool mt_hook_end(struct mt_hook *hook, unsigned row, CUresult result) {
    struct mt_hook_place *place = &mt_hook_place;
    bool done = mt_hook_rows_have(&place->done[result == CUDA_SUCCESS], row);
    hook->nested = place->recorded;
    for (unsigned i = 0; hook->nested && i < sizeof place->entered.words / sizeof place->entered.words[0]; i++) {
        hook->outside.done[0].words[i] |= place->done[0].words[i];
        hook->outside.done[1].words[i] |= place->done[1].words[i];
    }
    hook->outside.recorded |= hook->nested;
    *place = hook->outside;
    return !done && atomic_load_explicit(&mt_hook_mode, memory_order_relaxed) != MT_HOOKS_IDLE;
}

// Records or checks it. `params`: the row's parameter struct.
void mt_hook_handle(const struct mt_hook *hook, unsigned row, const void *params, CUresult result);

// Calls that only one of the two feeds saw, when they check each other.
struct mt_hook_differences {
    uint64_t only_hooks, only_cupti;
};
struct mt_hook_differences mt_hook_differences(void);

// CUPTI's callback is about to record a call of this thread. Whether a hook sees it, too.
bool mt_hook_seen_by_cupti(const struct mt_call *call);

// None did. Inside the guard.
void mt_hook_missed(void);

#endif
