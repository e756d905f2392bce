/*
 * The list of entry_points.h as a table, for the feeds and the trace; see entry_table.h.
 */
#include "preload/entry_table.h"

#include "preload/cupti/ids.h"
#include "preload/effects/capture.h"
#include "preload/effects/effects.h"
#include "preload/effects/pools.h"
#include "preload/guard.h"

// What takes memory and what launches is stamped when the call returns, all else when it begins.
#define STAMPED(effect)                                                                                                \
    (MT_EFFECT_##effect != MT_EFFECT_ALLOCATED && MT_EFFECT_##effect != MT_EFFECT_LAUNCHED &&                          \
     MT_EFFECT_##effect != MT_EFFECT_NONE)

#define ROW(text, function, effect, kind, ptsz, id)                                                                    \
    { text, function, MT_EFFECT_##effect, MT_MEMORY_##kind, ptsz, STAMPED(effect), id }
#define X(name, function, effect, memory, ...)                                                                         \
    [MT_ENTRY_##name] = ROW(#name, function, effect, memory, false, CUPTI_DRIVER_TRACE_CBID_##name),
#define S(name, function, effect, memory, ...)                                                                         \
    [MT_ENTRY_##name] = ROW(#name, function, effect, memory, false, CUPTI_DRIVER_TRACE_CBID_##name),                   \
    [MT_ENTRY_##name##_ptsz] =                                                                                         \
        ROW(#name "_ptsz", function, effect, memory, true, CUPTI_DRIVER_TRACE_CBID_##name##_ptsz),

const struct mt_entry_point mt_entry_points[MT_ENTRY_COUNT] = {MT_ENTRY_POINTS(X, S)};

static void begin(void *argument) {
    const struct mt_call *call = argument;
    mt_entry_before(call->entry)(call);
}

void mt_entry_begin(unsigned row, const void *params) {
    struct mt_call call = {.entry = row, .params = params};
    if (mt_records()) mt_guarded_aside(begin, &call);
}
