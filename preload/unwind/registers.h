/*
 * One step from a frame to its caller, with all registers. Used by walk.c for the frames that need more than a stack
 * and a frame pointer.
 */
#ifndef MEMTRACE_PRELOAD_UNWIND_REGISTERS_H
#define MEMTRACE_PRELOAD_UNWIND_REGISTERS_H

#include "preload/unwind/cfi.h"

struct mt_registers {
    uint64_t value[MT_REGISTERS];
    uint64_t valid; // bit N: value[N] is known
    uintptr_t pc;
    bool interrupted; // pc is the next instruction itself, not behind a call
};

// The values that the calling function has at this point; they hold as long as it does not return.
static inline __attribute__((always_inline)) void mt_registers_here(struct mt_registers *here) {
    *here = (struct mt_registers){.interrupted = true};
#if defined(__x86_64__)
    __asm__ volatile("movq %%rbx, 24(%0)\n\t"
                     "movq %%rbp, 48(%0)\n\t"
                     "movq %%rsp, 56(%0)\n\t"
                     "movq %%r12, 96(%0)\n\t"
                     "movq %%r13, 104(%0)\n\t"
                     "movq %%r14, 112(%0)\n\t"
                     "movq %%r15, 120(%0)\n\t"
                     "leaq 0(%%rip), %%rax\n\t"
                     "movq %%rax, (%1)"
                     :
                     : "r"(here->value), "r"(&here->pc)
                     : "rax", "memory");
    here->valid = 0xf0c8; // rbx, rbp, rsp, r12 to r15
#else
    __asm__ volatile("stp x19, x20, [%0, #152]\n\t"
                     "stp x21, x22, [%0, #168]\n\t"
                     "stp x23, x24, [%0, #184]\n\t"
                     "stp x25, x26, [%0, #200]\n\t"
                     "stp x27, x28, [%0, #216]\n\t"
                     "stp x29, x30, [%0, #232]\n\t"
                     "mov x9, sp\n\t"
                     "str x9, [%0, #248]\n\t"
                     "adr x9, .\n\t"
                     "str x9, [%1]"
                     :
                     : "r"(here->value), "r"(&here->pc)
                     : "x9", "memory");
    here->valid = UINT64_C(0xfff80000); // x19 to x30, sp
#endif
}

// Return addresses may be signed (aarch64): without the signature.
static inline uintptr_t mt_return_address(uintptr_t word) {
#if defined(__aarch64__)
    register uintptr_t link __asm__("x30") = word;
    __asm__("hint #7" : "+r"(link)); // xpaclri: nothing where the processor has no signatures
    return link;
#else
    return word;
#endif
}

// False where there is no caller, or where the row needs what is not known: `registers` are as before then.
bool mt_registers_step(struct mt_registers *registers, const struct mt_row *row);

#endif
