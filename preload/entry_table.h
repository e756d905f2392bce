/*
 * The list of entry_points.h as a table, whose rows entries.h numbers.
 */
#ifndef MEMTRACE_PRELOAD_ENTRY_TABLE_H
#define MEMTRACE_PRELOAD_ENTRY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/call.h"
#include "preload/effects/pools.h"
#include "preload/entries.h"
#include "preload/guard.h"
#include "tracer/format.h"

struct mt_entry_point {
    const char *name; // as the driver's symbol
    mt_effect_fn *effect;
    uint16_t default_effect; // enum mt_effect
    uint8_t memory;          // enum mt_memory
    bool per_thread_stream;  // a _ptsz form
    bool stamped;            // its effect is stamped before the real call, so a feed must note that time
    uint32_t cbid;           // CUpti_driver_api_trace_cbid
};

extern const struct mt_entry_point mt_entry_points[MT_ENTRY_COUNT];

// Whether a call of that row matters now: behind the session's end only what would have been an event, which is lost.
static inline bool mt_entry_matters(unsigned row) {
    return mt_records() || mt_entry_points[row].default_effect != MT_EFFECT_NONE;
}

// What is to be done before the real call, of which only the parameters are known; NULL for nearly all rows.
static inline mt_effect_fn *mt_entry_before(unsigned row) {
    return row == MT_ENTRY_cuMemPoolDestroy ? mt_effect_pool_destroy_begins : NULL;
}

// Does it, for a feed that is about to let the call through.
void mt_entry_begin(unsigned row, const void *params);

#endif
