/*
 * Recording a call that a hook saw, see hooks/call.h.
 */
#include "preload/hooks/call.h"

#include "preload/call.h"
#include "preload/driver.h"
#include "preload/session.h"

_Atomic(enum mt_hook_mode) mt_hook_mode = MT_HOOKS_IDLE;

bool mt_hook_uncovered[MT_ENTRY_COUNT];

static _Atomic(uint64_t) only_hooks, only_cupti;

static void handle(void *argument) {
    struct mt_call *call = argument;
    mt_thread.handled++;
    if (atomic_load_explicit(&mt_hook_mode, memory_order_relaxed) == MT_HOOKS_CHECK &&
        !mt_hook_uncovered[call->entry]) {
        // A driver that has gone refuses the call, and CUPTI has gone with it.
        if (call->result != CUDA_ERROR_DEINITIALIZED) atomic_fetch_add_explicit(&only_hooks, 1, memory_order_relaxed);
    } else {
        // Asking for the current context is allowed at any time, and fails harmlessly when the driver is gone.
        if (mt_driver.ctx_get_current && mt_session_may_call_cuda()) mt_driver.ctx_get_current(&call->context);
        mt_entry_points[call->entry].effect(call);
    }
}

void mt_hook_handle(const struct mt_hook *hook, unsigned row, const void *params, CUresult result) {
    struct mt_call call = {
        .entry = row,
        .params = params,
        .result = result,
        .enter_ns = hook->enter_ns,
        .per_thread_stream = mt_entry_points[row].per_thread_stream,
    };
    mt_guarded(handle, &call);
}

void mt_hook_seen_by_cupti(void) {
    mt_thread.handled++;
    bool hooked = mt_stack_within(mt_thread.here, mt_thread.hook_at);
    if (!hooked && atomic_load_explicit(&mt_hook_mode, memory_order_relaxed) == MT_HOOKS_CHECK) {
        atomic_fetch_add_explicit(&only_cupti, 1, memory_order_relaxed);
    }
}

struct mt_hook_differences mt_hook_differences(void) {
    return (struct mt_hook_differences){.only_hooks = atomic_load(&only_hooks), .only_cupti = atomic_load(&only_cupti)};
}
