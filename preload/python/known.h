/*
 * What Python frames ran when they were last looked at. Most frames of a stack are those of the stack before; what is
 * known of them need not be asked for again. A frame of another thread may have lain at the address before: what holds
 * of the frame that lies there now is compared. One table for each stack of our own (own_stack.h), since only one
 * thread at a time may use it. Used by python/frames.c alone.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_KNOWN_H
#define MEMTRACE_PRELOAD_PYTHON_KNOWN_H

#include <stdint.h>

#include "preload/guard.h"

struct __attribute__((aligned(32))) mt_python_known {
    const void *frame; // readable; NULL: nothing is known
    const void *code;  // that it ran; NULL: not known
    uint64_t stamp;    // what of it, or of all code objects, is as it was as long as it is the same
    uint32_t id;       // of the code object in the trace
};

enum { MT_PYTHON_KNOWN_BITS = 9 };

// Makes the table of this stack; NULL without memory for it.
struct mt_python_known *mt_python_known_make(struct mt_own_stack *stack);

// Where a frame at this address is noted, or another whose address hashes alike; NULL without memory.
static inline struct mt_python_known *mt_python_known(const void *frame) {
    struct mt_own_stack *stack = mt_thread.inside;
    if (!stack) return NULL;
    struct mt_python_known *table = stack->python_known ? stack->python_known : mt_python_known_make(stack);
    return table ? &table[(uintptr_t)frame * 0x9e3779b97f4a7c15u >> (64 - MT_PYTHON_KNOWN_BITS)] : NULL;
}

#endif
