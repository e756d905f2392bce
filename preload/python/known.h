/*
 * What this thread's Python frames ran when they were last looked at. Most frames of a stack are those of the stack
 * before; what is known of them need not be asked for again. Used by python/frames.c alone.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_KNOWN_H
#define MEMTRACE_PRELOAD_PYTHON_KNOWN_H

#include <stdint.h>

#include "preload/python/code.h"

// Aligned so that what is mostly asked – the frame, its code, one word – lies in one line of the cache.
struct __attribute__((aligned(256))) mt_python_known {
    const void *frame;              // readable; NULL: nothing is known
    struct mt_python_identity runs; // with the code object's id in the trace; code NULL: not known
};

enum { MT_PYTHON_KNOWN_BITS = 8 };
extern __thread struct mt_python_known *mt_python_known_frames
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Makes this thread's table; NULL without memory for it.
struct mt_python_known *mt_python_known_make(void);

// Where a frame at this address is noted, or another whose address hashes alike; NULL without memory.
static inline struct mt_python_known *mt_python_known(const void *frame) {
    struct mt_python_known *table = mt_python_known_frames ? mt_python_known_frames : mt_python_known_make();
    return table ? &table[(uintptr_t)frame * 0x9e3779b97f4a7c15u >> (64 - MT_PYTHON_KNOWN_BITS)] : NULL;
}

// This thread ends: gives the table back.
void mt_python_known_drop(void);

#endif
