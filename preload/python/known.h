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
#include "preload/python/code.h"

// Aligned so that what is mostly asked – the frame, its code, one word – lies in one line of the cache.
struct __attribute__((aligned(256))) mt_python_known {
    const void *frame;              // readable; NULL: nothing is known
    struct mt_python_identity runs; // with the code object's id in the trace; code NULL: not known
};

enum { MT_PYTHON_KNOWN_BITS = 8 };

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
