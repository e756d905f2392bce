/*
 * Who calls backward()? PyTorch runs it on threads of its own, where no Python frame says so. So we stand in front of
 * torch::autograd::Engine::execute, which the calling thread enters and leaves: a BACKWARD event with that thread's
 * stack before the original, and a BACKWARD_ENDED event after it, however it ends.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unwind.h>

#include "preload/guard.h"
#include "preload/session.h"
#include "preload/torch/feed.h"
#include "preload/torch/symbols.h"
#include "preload/unwind.h"

// execute(const edge_list &, const variable_list &, bool, bool, bool, const edge_list &), since PyTorch 1.8.
#define EXECUTE "_ZN5torch8autograd6Engine7executeERKSt6vectorINS0_4EdgeESaIS3_EERKS2_IN2at6TensorESaIS9_EEbbbS7_"

// A std::vector, which libstdc++ returns as C does a struct of its size: in memory that the caller provides.
struct variables {
    void *first, *last, *limit;
};

typedef struct variables execute_fn(void *engine, const void *roots, const void *inputs, bool keep_graph,
                                    bool create_graph, bool accumulate_grad, const void *outputs);

static _Atomic(void *) original;
static _Atomic(uint32_t) api;

static void write_event(void *argument) {
    enum mt_effect effect = *(const enum mt_effect *)argument;
    struct mt_trace *trace = mt_session_trace();
    uint32_t id = atomic_load_explicit(&api, memory_order_relaxed);
    if (!id) {
        id = mt_define_api(trace, "torch backward", MT_EFFECT_BACKWARD, MT_MEMORY_NONE);
        atomic_store_explicit(&api, id, memory_order_relaxed);
    }
    struct mt_event event = {.time_ns = mt_now_ns(), .api = id};
    if (effect == MT_EFFECT_BACKWARD) event.stack = mt_unwind_stack(trace);
    mt_write_event(mt_thread.lane, effect, &event, NULL, 0);
}

static void record(enum mt_effect effect) {
    mt_guarded(write_event, &effect);
}

void mt_torch_backward_look(void) {
    if (atomic_load_explicit(&original, memory_order_relaxed)) return;
    void *found = mt_torch_symbol(EXECUTE);
    if (found) atomic_store_explicit(&original, found, memory_order_release);
}

// The unwinder asks this on its way through execute's frame, and goes on: there is nothing to catch or to destroy.
__attribute__((used, visibility("hidden"))) _Unwind_Reason_Code mt_torch_unwound(int version, _Unwind_Action actions,
                                                                                 _Unwind_Exception_Class kind,
                                                                                 struct _Unwind_Exception *exception,
                                                                                 struct _Unwind_Context *context);
_Unwind_Reason_Code mt_torch_unwound(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                     struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
    (void)version, (void)kind, (void)exception, (void)context;
    if (actions & _UA_CLEANUP_PHASE) record(MT_EFFECT_BACKWARD_ENDED);
    return _URC_CONTINUE_UNWIND;
}

__attribute__((noinline, visibility("default"))) struct variables
mt_torch_execute(void *engine, const void *roots, const void *inputs, bool keep_graph, bool create_graph,
                 bool accumulate_grad, const void *outputs) __asm__(EXECUTE);
struct variables mt_torch_execute(void *engine, const void *roots, const void *inputs, bool keep_graph,
                                  bool create_graph, bool accumulate_grad, const void *outputs) {
    // A C function has no personality of its own, and libgcc's would make us need libgcc. Relative, of four bytes.
    __asm__ volatile(".cfi_personality 0x1b, mt_torch_unwound");
    record(MT_EFFECT_BACKWARD);
    // There is no going on without it, so it is looked for here if need be. No lock of torch's is held.
    if (!atomic_load_explicit(&original, memory_order_acquire)) mt_torch_backward_look();
    execute_fn *execute = (execute_fn *)atomic_load_explicit(&original, memory_order_acquire);
    struct variables variables = execute(engine, roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
    record(MT_EFFECT_BACKWARD_ENDED);
    return variables;
}
