/*
 * Recording a call that a hook saw, see hooks/call.h.
 */
#include "preload/hooks/call.h"

#include "preload/call.h"
#include "preload/driver.h"
#include "preload/feed.h"
#include "preload/session.h"

_Atomic(enum mt_hook_mode) mt_hook_mode = MT_HOOKS_IDLE;

bool mt_hook_uncovered[MT_ENTRY_COUNT];

__thread struct mt_hook_place mt_hook_place __attribute__((tls_model("initial-exec"), visibility("hidden")));

static _Atomic(uint64_t) only_hooks, only_cupti;

static void note_done(const struct mt_call *call) {
    mt_hook_place.recorded = true;
    mt_hook_rows_add(&mt_hook_place.done[call->result == CUDA_SUCCESS], call->entry);
}

struct seen {
    struct mt_call call;
    const void *real; // the function that the hook called
};

// CUPTI records, and was silent about this call. Whether the hook is to record it: not what another interposer answered
// without the driver, and not what a driver refused that has gone, and CUPTI with it.
static bool left_out_by_cupti(const struct seen *seen, enum mt_hook_mode mode) {
    if (seen->call.result == CUDA_ERROR_DEINITIALIZED) return false;
    if (mode == MT_HOOKS_CHECK) atomic_fetch_add_explicit(&only_hooks, 1, memory_order_relaxed);
    if (!mt_hook_is_own(seen->call.entry, seen->real)) return false;
    mt_feed_cupti_was_silent();
    return true;
}

static void handle(void *argument) {
    struct seen *seen = argument;
    struct mt_call *call = &seen->call;
    enum mt_hook_mode mode = atomic_load_explicit(&mt_hook_mode, memory_order_relaxed);
    bool cupti_records = mode != MT_HOOKS_RECORD && !mt_hook_uncovered[call->entry];
    if (cupti_records && !left_out_by_cupti(seen, mode)) return;
    // Asking for the current context is allowed at any time, and fails harmlessly when the driver is gone.
    if (mt_driver.ctx_get_current && mt_session_may_call_cuda()) mt_driver.ctx_get_current(&call->context);
    mt_entry_points[call->entry].effect(call);
}

void mt_hook_handle(const struct mt_hook *hook, unsigned row, const void *params, CUresult result) {
    struct seen seen = {
        .call =
            {
                .entry = row,
                .params = params,
                .result = result,
                .enter_ns = hook->enter_ns,
                .per_thread_stream = mt_entry_points[row].per_thread_stream,
                .nested = hook->nested,
            },
        .real = hook->real,
    };
    note_done(&seen.call); // whatever comes of it: what the guard refuses is counted there
    if (mt_entry_matters(row)) mt_guarded(handle, &seen);
}

bool mt_hook_seen_by_cupti(const struct mt_call *call) {
    const struct mt_hook_place *place = &mt_hook_place;
    bool hooked = mt_stack_within((uintptr_t)__builtin_frame_address(0), place->at) &&
                  mt_hook_rows_have(&place->entered, call->entry);
    bool first = !mt_hook_rows_have(&place->done[call->result == CUDA_SUCCESS], call->entry);
    note_done(call);
    return hooked && first;
}

void mt_hook_missed(void) {
    if (atomic_load_explicit(&mt_hook_mode, memory_order_relaxed) != MT_HOOKS_CHECK) return;
    atomic_fetch_add_explicit(&only_cupti, 1, memory_order_relaxed);
}

struct mt_hook_differences mt_hook_differences(void) {
    return (struct mt_hook_differences){.only_hooks = atomic_load(&only_hooks), .only_cupti = atomic_load(&only_cupti)};
}
