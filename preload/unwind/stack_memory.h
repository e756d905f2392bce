/*
 * Reading words of the calling thread's stack without risking a fault. Where frame information is right, all that it
 * refers to can be read; where it is wrong, the host must live. What can be read is asked of the kernel, a page at a
 * time, and remembered as one stretch a thread: most stacks are a few pages. Used by the files beside
 * it.
 */
#ifndef MEMTRACE_PRELOAD_UNWIND_STACK_MEMORY_H
#define MEMTRACE_PRELOAD_UNWIND_STACK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { MT_STACK_PAGE = 4096 }; // at most the system's

struct mt_stretch {
    uintptr_t start, bytes;
};
extern __thread struct mt_stretch mt_stack_stretch __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The stack is in use at `address`. What is deeper may have been another stack, which may have gone.
static inline void mt_stack_memory_begin(uintptr_t address) {
    if (address - mt_stack_stretch.start < mt_stack_stretch.bytes) return;
    mt_stack_stretch = (struct mt_stretch){address & ~(uintptr_t)(MT_STACK_PAGE - 1), MT_STACK_PAGE};
}

// Whether the page can be read at all, by a system call. Async-signal-safe; changes errno.
bool mt_page_readable(uintptr_t page);

// The slow path: asks the kernel about a word that does not lie in the stretch.
bool mt_stack_memory_ask(uintptr_t address);

// The word at the address, which must be a multiple of 8. Async-signal-safe; changes errno. `known`: the stretch, or a
// copy of it that the caller has at hand.
static inline bool mt_stack_word(struct mt_stretch *known, uintptr_t address, uint64_t *word) {
    if (__builtin_expect(address & 7 || address - known->start >= known->bytes, 0)) {
        if (address & 7 || !mt_stack_memory_ask(address)) return false;
        *known = mt_stack_stretch;
    }
    *word = *(const volatile uint64_t *)address;
    return true;
}

#endif
