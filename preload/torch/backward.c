/*
 * Who calls backward()? PyTorch runs it on threads of its own, where no Python frame says so. So we stand in front of
 * torch::autograd::Engine::execute, which the calling thread enters, write a BACKWARD event with that thread's stack,
 * and jump on to the original with all arguments as they were: its C++ signature is none of our business.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "preload/guard.h"
#include "preload/session.h"
#include "preload/torch/symbols.h"
#include "preload/unwind.h"

// execute(const edge_list &, const variable_list &, bool, bool, bool, const edge_list &), since PyTorch 1.8.
#define EXECUTE "_ZN5torch8autograd6Engine7executeERKSt6vectorINS0_4EdgeESaIS3_EERKS2_IN2at6TensorESaIS9_EEbbbS7_"

static _Atomic(void *) original;
static _Atomic(uint32_t) api;

static void record(void) {
    struct mt_trace *trace = mt_session_trace();
    uint32_t id = atomic_load_explicit(&api, memory_order_relaxed);
    if (!id) {
        id = mt_define_api(trace, "torch backward", MT_EFFECT_BACKWARD, MT_MEMORY_NONE);
        atomic_store_explicit(&api, id, memory_order_relaxed);
    }
    struct mt_event event = {.time_ns = mt_now_ns(), .api = id, .stack = mt_unwind_stack(trace)};
    mt_write_event(mt_thread.stream, MT_EFFECT_BACKWARD, &event, NULL, 0);
}

// Called by the stub below; returns where it goes on.
__attribute__((used, visibility("hidden"))) void *mt_torch_backward(void);
void *mt_torch_backward(void) {
    if (mt_guard_enter()) {
        record();
        mt_guard_leave();
    }
    return mt_torch_symbol(&original, "libtorch_cpu.so", EXECUTE);
}

// The call frame information lets the unwinder walk through.
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl " EXECUTE "\n"
        ".type " EXECUTE ", @function\n"
        ".p2align 4\n" EXECUTE ":\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rdi\n    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rdx\n    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r8\n    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r9\n    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n    .cfi_adjust_cfa_offset 8\n"
        "    call mt_torch_backward\n"
        "    addq $8, %rsp\n    .cfi_adjust_cfa_offset -8\n"
        "    popq %r9\n    .cfi_adjust_cfa_offset -8\n"
        "    popq %r8\n    .cfi_adjust_cfa_offset -8\n"
        "    popq %rcx\n    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdx\n    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size " EXECUTE ", . - " EXECUTE "\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl " EXECUTE "\n"
        ".type " EXECUTE ", %function\n"
        ".p2align 4\n" EXECUTE ":\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-96]!\n"
        "    .cfi_def_cfa_offset 96\n    .cfi_offset 29, -96\n    .cfi_offset 30, -88\n"
        "    stp x0, x1, [sp, #16]\n"
        "    stp x2, x3, [sp, #32]\n"
        "    stp x4, x5, [sp, #48]\n"
        "    stp x6, x7, [sp, #64]\n"
        "    str x8, [sp, #80]\n"
        "    bl mt_torch_backward\n"
        "    mov x16, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x2, x3, [sp, #32]\n"
        "    ldp x4, x5, [sp, #48]\n"
        "    ldp x6, x7, [sp, #64]\n"
        "    ldr x8, [sp, #80]\n"
        "    ldp x29, x30, [sp], #96\n"
        "    .cfi_restore 29\n    .cfi_restore 30\n    .cfi_def_cfa_offset 0\n"
        "    br x16\n"
        "    .cfi_endproc\n"
        ".size " EXECUTE ", . - " EXECUTE "\n");
#endif
