/*
 * Native call stacks of this thread that were unwound before, so that they need not be unwound again.
 *
 * How a stack unwinds follows from where it begins and from the words that unwinding reads: the return addresses, and
 * the saved frame pointers that lead from frame to frame. A stack that begins at the same place and holds the same
 * words there is the same stack; comparing some thirty words takes as many nanoseconds, unwinding them a microsecond.
 * A program that trains repeats its stacks in each step. Used by unwind.c, under the guard.
 */
#ifndef MEMTRACE_PRELOAD_KNOWN_STACKS_H
#define MEMTRACE_PRELOAD_KNOWN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/trace.h"

// Takes libunwind's step by step interface from `library`; without it, or on other processors than x86-64, no stack is
// ever known. Once, before the first stack.
void mt_known_stacks_start(void *library);

// The frames, innermost first, of the stack that a function sees which keeps a frame pointer, `here`: 0 when it is not
// known, else their number, and *cut as it was learnt. What was learnt in another `generation` is forgotten.
size_t mt_known_stack(uintptr_t here, uint64_t generation, struct mt_frame *frames, size_t capacity, bool *cut);

// `frames`, native ones, are those of that function's stack, without some of the innermost, and without the outermost
// where it is *cut. A stack is learnt, which costs as much as twenty do, when it comes a second time and while that has
// paid. To be called by that function, or by what it called.
void mt_learn_stack(uintptr_t here, uint64_t generation, const struct mt_frame *frames, size_t count, bool cut);

// This thread ends: gives back what it learnt.
void mt_known_stacks_drop(void);

#endif
