/*
 * Call stacks, see unwind.h: walked by our own reader of frame information (unwind/walk.h). A library for it would take
 * the loader's lock, trust what it remembers of code that has gone, and guess where no table tells.
 */
#include "preload/unwind.h"

#include <link.h>
#include <stdatomic.h>
#include <stdio.h>

#include "preload/guard.h"
#include "preload/unwind/modules.h"
#include "preload/unwind/walk.h"
#include "tracer/facts.h"

// Frames of our own and of libcupti, libcuda that may stand above the caller's.
#define TRIMMED_MAX 64u
#define MODULES_MAX 8u
// Frames walked before the cutter is asked: enough to reach from CUPTI's callback, through a framework's C++ code, to
// the interpreter's loop.
#define FIRST_PART 40u // fewer than TRIMMED_MAX

// Written by mt_unwind_start, constant afterwards.
static unsigned depth;

// Address ranges cut off the top. Only appended to; the count is published last.
static struct { uintptr_t start, end; } trimmed[MODULES_MAX];
static _Atomic(unsigned) trimmed_count;

static _Atomic(mt_frame_rewriter *) rewrite;
static _Atomic(mt_frame_liner *) fill_in_lines;
static _Atomic(mt_frame_cutter *) cut_frames;

struct range_search {
    uintptr_t address, start, end;
};

static int find_range(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    struct range_search *search = user;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD) continue;
        uintptr_t from = info->dlpi_addr + segment->p_vaddr;
        if (from < start) start = from;
        if (from + segment->p_memsz > end) end = from + segment->p_memsz;
    }
    if (search->address < start || search->address >= end) return 0;
    search->start = start;
    search->end = end;
    return 1;
}

void mt_unwind_trim_module(const void *address) {
    struct range_search search = {(uintptr_t)address, 0, 0};
    unsigned count = atomic_load(&trimmed_count);
    if (!address || count == MODULES_MAX || !dl_iterate_phdr(find_range, &search)) return;
    for (unsigned i = 0; i < count; i++) {
        if (trimmed[i].start == search.start) return;
    }
    trimmed[count].start = search.start;
    trimmed[count].end = search.end;
    atomic_store_explicit(&trimmed_count, count + 1, memory_order_release);
}

void mt_unwind_set_rewriter(mt_frame_rewriter *rewriter, mt_frame_liner *liner, mt_frame_cutter *cutter) {
    atomic_store_explicit(&cut_frames, cutter, memory_order_release);
    atomic_store_explicit(&fill_in_lines, liner, memory_order_release);
    atomic_store_explicit(&rewrite, rewriter, memory_order_release);
}

void mt_unwind_start(struct mt_trace *trace, unsigned wanted_depth) {
    char text[32];
    depth = wanted_depth < MT_STACK_DEPTH_MAX ? wanted_depth : MT_STACK_DEPTH_MAX;
    snprintf(text, sizeof text, "%u", depth);
    mt_define_fact(trace, MT_FACT_STACK_DEPTH, text);
    if (depth == 0) {
        mt_define_fact(trace, MT_FACT_UNWINDER, "none: switched off");
        return;
    }
    mt_unwind_trim_module((const void *)&trimmed);
    mt_unwind_modules_start(true);
    mt_define_fact(trace, MT_FACT_UNWINDER, "unwind tables");
}

static bool is_trimmed(uintptr_t address, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (address >= trimmed[i].start && address < trimmed[i].end) return true;
    }
    return false;
}

// One stack at work.
struct stack {
    struct mt_frame room[MT_STACK_DEPTH_MAX + TRIMMED_MAX];
    struct mt_frame *frames; // within the room: those that are kept
    size_t count;
    bool cut;   // the cutter said that what lies outside is not needed
    bool blind; // it ends where no table tells its callers
};

// All frames walked so far but those on top that lie in modules that are trimmed.
static void trim(struct stack *stack, size_t walked) {
    unsigned modules = atomic_load_explicit(&trimmed_count, memory_order_acquire);
    size_t first = 0;
    // A return address may stand right behind its module's last instruction, never right behind another's first.
    while (first < walked && is_trimmed(stack->room[first].address - 1, modules)) first++;
    stack->frames = stack->room + first;
    stack->count = walked - first < depth ? walked - first : depth;
}

// The native frames that are wanted.
static void walk_native(struct mt_walk *walk, mt_frame_cutter *cutter, struct stack *stack) {
    size_t walked = mt_walk_on(walk, stack->room, FIRST_PART);
    trim(stack, walked);
    size_t needed = cutter && walked == FIRST_PART ? cutter(stack->frames, stack->count) : 0;
    stack->cut = needed > 0;
    stack->blind = walk->blind;
    if (stack->cut) {
        stack->count = needed;
    } else if (walked == FIRST_PART) {
        walked += mt_walk_on(walk, stack->room + walked, depth + TRIMMED_MAX - walked);
        trim(stack, walked);
        stack->blind = walk->blind;
    }
}

static size_t rewrite_frames(struct mt_frame *frames, size_t count) {
    mt_frame_rewriter *rewriter = atomic_load_explicit(&rewrite, memory_order_acquire);
    return rewriter ? rewriter(frames, count, depth) : count;
}

// The stack of the caller of the function whose frame pointer is `here`. `fresh`: nothing of it is taken from memory.
static void whole_stack(struct mt_trace *trace, uintptr_t here, bool fresh, struct stack *stack) {
    mt_frame_cutter *cutter = atomic_load_explicit(&cut_frames, memory_order_acquire);
    uint64_t generation = mt_stacks_epoch(trace);
    struct mt_walk walk;
    mt_walk_begin(&walk, here, generation, fresh);
    walk_native(&walk, cutter, stack);
    stack->count = rewrite_frames(stack->frames, stack->count);
    bool full = stack->count == depth, ends_in_python = stack->count > 0 && stack->frames[stack->count - 1].python;
    if (!stack->cut || full || ends_in_python) return;
    // Python's frames can't be read any more: it ends.
    mt_walk_begin(&walk, here, generation, fresh);
    walk_native(&walk, NULL, stack);
}

static void say_blind(struct mt_trace *trace) {
    static _Atomic(bool) said;
    if (atomic_exchange_explicit(&said, true, memory_order_relaxed)) return;
    mt_define_fact(trace, MT_FACT_UNWINDER, "unwind tables; some stacks end early, at code without");
}

// What a new stack costs more than a known one.
static uint32_t define(struct mt_trace *trace, struct mt_frame *frames, size_t count) {
    mt_frame_liner *liner = atomic_load_explicit(&fill_in_lines, memory_order_acquire);
    if (liner) liner(frames, count);
    return mt_define_stack(trace, frames, count);
}

// Of the program's stack: what lies on ours is no part of it.
uint32_t mt_unwind_stack(struct mt_trace *trace) {
    uintptr_t here = mt_thread.here;
    struct stack stack;
    stack.count = 0;
    if (depth == 0) return 0;
    whole_stack(trace, here, false, &stack);
    uint32_t known = mt_find_stack(trace, stack.frames, stack.count);
    if (known || stack.count == 0) return known;
    // Code may have been exchanged without our notice: what is new is not built from what is remembered.
    whole_stack(trace, here, true, &stack);
    if (stack.blind) say_blind(trace);
    return stack.count ? define(trace, stack.frames, stack.count) : 0;
}

uint32_t mt_unwind_line(struct mt_trace *trace) {
    struct mt_frame frames[MT_STACK_DEPTH_MAX];
    size_t kept = depth ? rewrite_frames(frames, 0) : 0;
    if (kept == 0) return mt_unwind_stack(trace);
    uint32_t known = mt_find_stack(trace, frames, kept);
    return known ? known : define(trace, frames, kept);
}
