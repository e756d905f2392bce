/*
 * What the reconciliation of hidden.h is made of, put into words: live allocations by call site, and calls that took
 * hidden memory by call site and cause. Called by hidden.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_HIDDEN_PARTS_H
#define MEMTRACE_VIEWER_ANALYSIS_HIDDEN_PARTS_H

#include "viewer/analysis/hidden.h"

// A call that took memory without being asked for any.
struct mt_hidden_call {
    uint32_t api, stack, thread, context;
    uint32_t kernel; // first launched by it; 0: none
    uint64_t stream;
    enum mt_effect effect; // what such a call does
    uint64_t bytes;
    uint64_t taken_back; // of what it once had
};

// Fills in what is live on a device: allocations, segments, pools, and the rounding up to out->traced. `moved`: so much
// more managed memory is there than was prefetched, which becomes a part of what is hidden; or less, and out->traced
// becomes that much less.
void mt_hidden_compose(const struct mt_report *report, const struct mt_model *model, uint32_t device, int64_t moved,
                       struct mt_hidden *out);

void mt_hidden_add_call(const struct mt_report *report, const struct mt_hidden_call *call, struct mt_hidden *out);

#endif
