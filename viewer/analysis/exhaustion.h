/*
 * What memory was made of when it ran out: the composition of a device's live set (composition.h) at the moment of a
 * refused request, and in what pieces a framework's allocator held what it cached. Where a framework reports its own
 * failure, that one is shown, not the driver's refusals that led to it. Called by the views that list failed calls.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_EXHAUSTION_H
#define MEMTRACE_VIEWER_ANALYSIS_EXHAUSTION_H

#include "viewer/analysis/cache.h"
#include "viewer/analysis/composition.h"
#include "viewer/analysis/failures.h"

struct mt_exhaustion {
    bool known; // false: nothing to show of this failure
    struct mt_composition live;
    struct mt_cache_state cache; // of a framework's allocator
};

// One for each failure, in their order; the first `most` that ran out of memory are composed.
struct mt_exhaustion *mt_exhaustions_find(const struct mt_report *report, const struct mt_failures *failures,
                                          size_t most);
void mt_exhaustions_free(struct mt_exhaustion *exhaustions, size_t count);

#endif
