/*
 * Call stacks by libunwind's unw_backtrace, see unwind.h. libunwind.so.8 exports _Unwind_* and would take over the
 * program's C++ exceptions if it were linked: it is dlopen'ed RTLD_LOCAL instead. Its per-frame interface is a thousand
 * times slower than unw_backtrace and is not used.
 */
#include "preload/unwind.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>

#include "preload/guard.h"
#include "preload/known_stacks.h"
#include "preload/libunwind_pipe.h"
#include "preload/real_dlsym.h"
#include "tracer/facts.h"

// Frames of our own and of libcupti, libcuda that may stand above the caller's.
#define TRIMMED_MAX 32u
#define MODULES_MAX 8u
// Frames unwound before the cutter is asked: enough to reach from CUPTI's callback, through a framework's C++ code, to
// the interpreter's loop.
#define FIRST_PART 40u

typedef int unw_backtrace_fn(void **addresses, int count);

// Written by mt_unwind_start, constant afterwards.
static unw_backtrace_fn *backtrace;
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

// What a new stack costs more than a known one.
static uint32_t define(struct mt_trace *trace, struct mt_frame *frames, size_t count) {
    mt_frame_liner *liner = atomic_load_explicit(&fill_in_lines, memory_order_acquire);
    if (liner) {
        uint32_t known = mt_find_stack(trace, frames, count);
        if (known) return known;
        liner(frames, count);
    }
    return mt_define_stack(trace, frames, count);
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
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    *(void **)&backtrace = library ? mt_real_dlsym(library, "unw_backtrace") : NULL;
    if (!backtrace) {
        mt_define_fact(trace, MT_FACT_UNWINDER,
                       library ? "no native frames: libunwind.so.8 has no unw_backtrace"
                               : "no native frames: libunwind.so.8 was not found");
        return;
    }
    // The very first call reads tables for tens of milliseconds: better here than in an event.
    void *addresses[4];
    mt_libunwind_pipe_before();
    backtrace(addresses, 4);
    mt_libunwind_pipe_after();
    mt_known_stacks_start(library);
    mt_define_fact(trace, MT_FACT_UNWINDER, "libunwind");
}

static bool is_trimmed(uintptr_t address, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (address >= trimmed[i].start && address < trimmed[i].end) return true;
    }
    return false;
}

// The innermost `wanted` native frames without those of the modules that are trimmed; all of them were unwound unless
// *more becomes true.
static size_t unwind(struct mt_frame *frames, unsigned wanted, bool *more) {
    void *addresses[MT_STACK_DEPTH_MAX + TRIMMED_MAX];
    int found = backtrace(addresses, (int)wanted);
    unsigned count = atomic_load_explicit(&trimmed_count, memory_order_acquire);
    int first = 0;
    *more = found == (int)wanted;
    // A return address may stand right behind its module's last instruction, never right behind another's first.
    while (first < found && is_trimmed((uintptr_t)addresses[first] - 1, count)) first++;
    size_t kept = 0;
    for (int i = first; i < found && kept < depth; i++) {
        frames[kept++] = (struct mt_frame){.address = (uintptr_t)addresses[i]};
    }
    return kept;
}

// All native frames that are wanted; *cut: those that the rewriter knows by itself were left out.
static size_t unwind_needed(struct mt_frame *frames, bool *cut) {
    bool more = true;
    mt_frame_cutter *cutter = atomic_load_explicit(&cut_frames, memory_order_acquire);
    *cut = false;
    if (cutter && depth + TRIMMED_MAX > FIRST_PART) {
        size_t kept = unwind(frames, FIRST_PART, &more);
        if (!more) return kept;
        size_t needed = cutter(frames, kept);
        *cut = needed > 0;
        if (*cut) return needed;
    }
    return unwind(frames, depth + TRIMMED_MAX, &more);
}

static size_t rewrite_frames(struct mt_frame *frames, size_t count) {
    mt_frame_rewriter *rewriter = atomic_load_explicit(&rewrite, memory_order_acquire);
    return rewriter ? rewriter(frames, count, depth) : count;
}

// To be asked before every use of libunwind.
static bool may_unwind(struct mt_trace *trace) {
    if (mt_libunwind_pipe_intact()) return true;
    mt_define_fact(trace, MT_FACT_UNWINDER, "libunwind, until the program closed its pipe");
    return false;
}

// The wanted native frames of the function whose frame pointer is `here`.
static inline __attribute__((always_inline)) size_t native_frames(struct mt_trace *trace, uintptr_t here,
                                                                  struct mt_frame *frames, bool *cut) {
    uint64_t generation = mt_stacks_epoch(trace) << 8 | atomic_load_explicit(&trimmed_count, memory_order_relaxed);
    size_t kept = mt_known_stack(here, generation, frames, MT_STACK_DEPTH_MAX, cut);
    if (kept > 0) return kept;
    if (!may_unwind(trace)) return 0;
    kept = unwind_needed(frames, cut);
    mt_learn_stack(here, generation, frames, kept, *cut);
    return kept;
}

// Of the program's stack: what lies on ours changes from event to event.
uint32_t mt_unwind_stack(struct mt_trace *trace) {
    struct mt_frame frames[MT_STACK_DEPTH_MAX];
    bool cut = false, more;
    if (depth == 0) return 0;
    size_t kept = backtrace ? native_frames(trace, mt_thread.here, frames, &cut) : 0;
    kept = rewrite_frames(frames, kept);
    // Python's frames can't be read any more: it ends. A full stack is none that ends too early.
    if (cut && kept < depth && (kept == 0 || !frames[kept - 1].python))
        kept = may_unwind(trace) ? unwind(frames, depth + TRIMMED_MAX, &more) : 0;
    return kept ? define(trace, frames, kept) : 0;
}

uint32_t mt_unwind_line(struct mt_trace *trace) {
    struct mt_frame frames[MT_STACK_DEPTH_MAX];
    size_t kept = depth ? rewrite_frames(frames, 0) : 0;
    return kept ? define(trace, frames, kept) : mt_unwind_stack(trace);
}
