/*
 * Python frames in call stacks, without the GIL.
 *
 * A thread that stands in one of our hooks can't change its own Python frames, so they may be read as they are, whoever
 * holds the GIL. The unwinder hands every stack to mt_python_rewrite, and stacks it has not seen before to
 * mt_python_lines. Where there is no CPython, or none that we know, stacks stay native and a fact says why.
 *
 * Both are called under the guard. They take no lock of Python's, create no object, change no reference count, and
 * dereference only what is known to be readable.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_FRAMES_H
#define MEMTRACE_PRELOAD_PYTHON_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "tracer/trace.h"

// Hooks the three below into the unwinder, and looks for an interpreter.
void mt_python_start(struct mt_trace *trace);

// Looks for an interpreter unless one was found: it may have been loaded since. Takes the loader's lock.
void mt_python_look(void);

// Replaces the frames of the interpreter loop, innermost first, by the Python frames that they run, and drops the
// interpreter's other frames (an mt_frame_rewriter). Lines stay 0. Returns the new count, at most `capacity`.
size_t mt_python_rewrite(struct mt_frame *frames, size_t count, size_t capacity);

// How many frames reach to the innermost of the interpreter loop, whose outer frames are all Python's or serve
// Python's; 0 when this thread runs no Python or none is in sight (an mt_frame_cutter). Native code that called into
// Python deeper down is left out of such a stack.
size_t mt_python_cut(const struct mt_frame *frames, size_t count);

// Fills in the lines of a stack that mt_python_rewrite made on this thread, in the same hook.
void mt_python_lines(struct mt_frame *frames, size_t count);

#endif
