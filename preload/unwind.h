/*
 * Call stacks of the calling thread, as ids of the trace's stack table. Called under the guard by whoever records.
 */
#ifndef MEMTRACE_PRELOAD_UNWIND_H
#define MEMTRACE_PRELOAD_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "tracer/trace.h"

// Frames kept at most, native and Python's together, whatever MEMTRACE_STACKS says.
#define MT_STACK_DEPTH_MAX 256u

// Writes the facts about stacks. depth 0: they are off. Once, before the first event.
void mt_unwind_start(struct mt_trace *trace, unsigned depth);

// Frames in the module that holds `address` are cut off the top of every stack from now on: they are the tracer's and
// CUPTI's own doing, of any number, and the API's name says the rest. Unknown addresses are ignored.
void mt_unwind_trim_module(const void *address);

// The current stack from the first frame outside those modules; 0 when stacks are off or there is none.
uint32_t mt_unwind_stack(struct mt_trace *trace);

// As above, but of a program that the rewriter knows by itself – Python – its frames alone: those are cheap. For events
// that come at every turn and of which the line is asked, not what the C++ code below it was doing.
uint32_t mt_unwind_line(struct mt_trace *trace);

// Rewrites a stack before it is looked up: the Python reader replaces the interpreter's native frames. Innermost first;
// at most `capacity` frames may be there afterwards; returns how many. From no frames it makes what it knows by itself.
// Their lines are 0 (they are no part of a stack's identity): `liner` fills them in when mt_find_stack() says that the
// stack is new, before mt_define_stack(). It is called for every new stack, native ones too. `cutter` is asked about
// the first part of a deep stack. One of each; NULL removes them.
typedef size_t mt_frame_rewriter(struct mt_frame *frames, size_t count, size_t capacity);
typedef void mt_frame_liner(struct mt_frame *frames, size_t count);
// How many of the innermost `count` frames are needed, when the rewriter knows all that lies outside of them by itself;
// 0 when it needs the whole stack. Unwinding is what a stack costs, and most frames of a Python program are the
// interpreter's own.
typedef size_t mt_frame_cutter(const struct mt_frame *frames, size_t count);
void mt_unwind_set_rewriter(mt_frame_rewriter *rewriter, mt_frame_liner *liner, mt_frame_cutter *cutter);

#endif
