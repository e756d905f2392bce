/*
 * See own_stack.h. The table is fixed and its entries are never unmapped, so taking one is one exchange of a word.
 */
#include "preload/own_stack.h"

#include <sys/mman.h>
#include <unistd.h>

enum { STACKS = 1024 };
enum { UNMADE, FREE, TAKEN, ABANDONED };

static struct mt_own_stack stacks[STACKS];

/*
 * Where stacks are asked for: below what programs have. A signal handler that leaves one by longjmp then jumps upwards,
 * as out of any deeper frame; downwards, longjmp's own check (_FORTIFY_SOURCE) would end the program. Only a wish.
 */
static void *wanted_place(size_t number, size_t bytes) {
    return (void *)(((uintptr_t)1 << 36) + number * bytes);
}

static bool make(struct mt_own_stack *stack) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = MT_OWN_STACK_BYTES + page;
    char *pages = mmap(wanted_place((size_t)(stack - stacks), bytes), bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (pages == MAP_FAILED) return false;
    mprotect(pages, page, PROT_NONE);
    stack->bottom = pages + page;
    return true;
}

static bool take_in(struct mt_own_stack *stack, int state) {
    if (atomic_load_explicit(&stack->state, memory_order_relaxed) != state) return false;
    return atomic_compare_exchange_strong_explicit(&stack->state, &state, TAKEN, memory_order_acquire,
                                                   memory_order_relaxed);
}

// The first from *number on that is in this state.
static struct mt_own_stack *take_next(uint16_t *number, int state) {
    for (unsigned i = 0; i < STACKS; i++) {
        unsigned at = (*number + i) % STACKS;
        if (!take_in(&stacks[at], state)) continue;
        *number = (uint16_t)at;
        return &stacks[at];
    }
    return NULL;
}

struct mt_own_stack *mt_own_stack_take(uint16_t *number) {
    struct mt_own_stack *stack = &stacks[*number];
    if (take_in(stack, FREE)) return stack;
    if ((stack = take_next(number, FREE))) return stack;
    if ((stack = take_next(number, UNMADE))) {
        if (make(stack)) return stack;
        atomic_store_explicit(&stack->state, UNMADE, memory_order_release);
        return NULL;
    }
    if ((stack = take_next(number, ABANDONED))) stack->python_known = NULL; // it may be half written
    return stack;
}

void mt_own_stack_give(struct mt_own_stack *stack) {
    atomic_store_explicit(&stack->state, FREE, memory_order_release);
}

void mt_own_stack_abandon(struct mt_own_stack *stack) {
    atomic_store_explicit(&stack->state, ABANDONED, memory_order_release);
}

// The frame is a standard one, so that unwinders and debuggers step from our stack to the caller's.
#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl mt_own_stack_call\n"
        ".hidden mt_own_stack_call\n"
        ".type mt_own_stack_call, @function\n"
        "mt_own_stack_call:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rbp, %rsi\n"
        "    movq %rdx, %rsp\n"
        "    callq *%rax\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size mt_own_stack_call, .-mt_own_stack_call\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl mt_own_stack_call\n"
        ".hidden mt_own_stack_call\n"
        ".type mt_own_stack_call, %function\n"
        "mt_own_stack_call:\n"
        "    .cfi_startproc\n"
        "    hint #34\n" // bti c
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset 29, -16\n"
        "    .cfi_offset 30, -8\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa 29, 16\n"
        "    mov x9, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x29\n"
        "    mov sp, x2\n"
        "    blr x9\n"
        "    mov sp, x29\n"
        "    .cfi_def_cfa 31, 16\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_def_cfa_offset 0\n"
        "    .cfi_restore 29\n"
        "    .cfi_restore 30\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size mt_own_stack_call, .-mt_own_stack_call\n");
#else
#error "mt_own_stack_call is not written for this processor"
#endif
