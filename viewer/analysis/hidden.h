/*
 * Device memory reconciled: what allocations explain, what is hidden in other calls, and what nothing explains. The
 * tracer measures the device's memory in use after calls that take memory without being asked: a context, code, a
 * kernel's first launch, a stream. By how much a measurement exceeds the one before and what allocations took meanwhile
 * is the *hidden* memory of that call. Managed memory also moves without one: as much as can be it is taken for its
 * own. A measurement that belongs to no call, such as the one at exit, or that is of this process alone, shows what is
 * *unexplained*. Called by the view of --hidden.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_HIDDEN_H
#define MEMTRACE_VIEWER_ANALYSIS_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/parts.h"
#include "viewer/analysis/report.h"

// Memory of which an allocator hands out parts: what it has from the device, and what of it is handed out.
struct mt_held {
    uint64_t bytes, count;
    uint64_t handed_out, blocks;
};

// One moment. traced + hidden + unexplained = in_use, to the byte. No part is negative but `unexplained`: then the
// trace and the driver disagree, and that is what is shown.
struct mt_hidden {
    uint64_t index, time_ns;     // of the event
    uint64_t samples;            // measurements up to then; 0: in_use is what allocations take
    bool own;                    // some were of this process alone
    bool others_known;           // … or told what was in use before this process:
    int64_t others;              // in use by others
    struct mt_parts allocations; // by call site, managed memory as prefetched; without what allocators hold:
    struct mt_held segments;     // of frameworks' allocators, physical allocations
    struct mt_held pools;        // CUDA's memory pools
    uint64_t rounding;           // to the device's pages
    uint64_t overlap;            // not in the sum: allocations that take less than they are, so some overlap
    uint64_t traced;             // the sum of these
    uint64_t imported;           // other processes' memory, not in the sum
    uint64_t managed;            // live; only a prefetch tells that it is on the device
    struct mt_parts hidden;      // by call site and cause
    int64_t unexplained;
    int64_t in_use;
    uint64_t handed_out; // by allocators, of what they hold
};

// The moment when most was in use – of several, the one when most of it was handed out – and the end of the trace. The
// caller ends both with mt_hidden_clear.
void mt_hidden_find(const struct mt_report *report, uint32_t device, struct mt_hidden *peak, struct mt_hidden *end);
void mt_hidden_clear(struct mt_hidden *hidden);

#endif
