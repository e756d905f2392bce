/*
 * Walks the calling thread's native frames from the inside out, by the frame information of the code that they run.
 * Each step is computed from the stack as it is; what is remembered is how to compute it, by the place in the code.
 * Where no frame information covers a place, the walk ends there: nothing is guessed. Used by unwind.c, under the
 * guard.
 */
#ifndef MEMTRACE_PRELOAD_UNWIND_WALK_H
#define MEMTRACE_PRELOAD_UNWIND_WALK_H

#include "preload/unwind/registers.h"
#include "tracer/trace.h"

struct mt_place {
    uintptr_t pc, sp, fp;
};

struct mt_walk {
    struct mt_place at; // the frame that comes next
    uint64_t seed;      // of what may be remembered
    size_t frames;      // so many were walked
    bool fresh;         // nothing is recalled, all is remembered anew
    bool over;
    bool blind; // … since no table covers where it came to
    bool all;   // the frames that come next go by `registers`
    struct mt_registers registers;
};

// From the caller of a function on, whose frame pointer is `here`: the words there are its caller's frame pointer and
// the return address, and behind them is its caller's stack. What was remembered in another `generation` is not used.
void mt_walk_begin(struct mt_walk *walk, uintptr_t here, uint64_t generation, bool fresh);

// The next frames, at most `wanted`; fewer: there are no more. To be called by that function, or by what it called.
size_t mt_walk_on(struct mt_walk *walk, struct mt_frame *frames, size_t wanted);

#endif
