/*
 * Why could something not be given back? What a failed free meant is looked up in the memory of that moment: it was
 * gone already, it is the inside of an allocation, memory of another kind or device, what a graph allocates when it is
 * launched, or nothing known. The same for the launch of a graph whose memory is still in use. Called by the view of
 * --errors.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_ATTRIBUTION_H
#define MEMTRACE_VIEWER_ANALYSIS_ATTRIBUTION_H

#include "viewer/analysis/failures.h"

enum mt_attribution_kind {
    MT_ATTRIBUTION_NONE,       // no failed free, or nothing to say about it
    MT_ATTRIBUTION_NEVER,      // nothing was ever allocated there
    MT_ATTRIBUTION_GONE,       // freed before
    MT_ATTRIBUTION_INSIDE,     // within an allocation, not at its beginning
    MT_ATTRIBUTION_KIND,       // the call frees another kind of memory
    MT_ATTRIBUTION_DEVICE,     // another device's
    MT_ATTRIBUTION_CONTEXT,    // another context's
    MT_ATTRIBUTION_REGISTERED, // to be registered, but something of it is
    MT_ATTRIBUTION_LATE,       // it was live, but the driver had shut down
    // Of graphs:
    MT_ATTRIBUTION_CAPTURED, // allocated by the launches of a graph that was not launched yet
    MT_ATTRIBUTION_IN_GRAPH, // the same of one that was, but the memory is free again
    MT_ATTRIBUTION_UNFREED,  // a launch allocates what the launch before allocated, and nothing freed
};

struct mt_attribution {
    enum mt_attribution_kind kind;
    // The allocation meant, but for NEVER:
    uint64_t bytes;
    enum mt_memory memory;
    uint32_t device, api, stack;
    uint64_t offset; // INSIDE
    // GONE:
    uint64_t end_time_ns;
    uint32_t end_api, end_stack;
};

// One for each failure, in their order. The caller frees it.
struct mt_attribution *mt_attribution_find(const struct mt_report *report, const struct mt_failures *failures);

#endif
