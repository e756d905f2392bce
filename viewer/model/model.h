/*
 * The model: what is live at one point of a trace, and the ledgers (ledgers.h) kept about it. Fed with events in time
 * order by report.c; analyses watch it through an observer. Memory is bounded by the live set.
 */
#ifndef MEMTRACE_VIEWER_MODEL_MODEL_H
#define MEMTRACE_VIEWER_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/reader.h"
#include "viewer/base/ranges.h"
#include "viewer/model/graphs.h"
#include "viewer/model/ledgers.h"
#include "viewer/model/live.h"
#include "viewer/model/marks.h"
#include "viewer/trace/definitions.h"

enum mt_change_kind {
    MT_CHANGE_NONE, // the event moved no memory
    MT_CHANGE_ALLOCATED,
    MT_CHANGE_FREED,
    MT_CHANGE_FAILED,       // a request that the driver refused
    MT_CHANGE_UNKNOWN_FREE, // of something that the trace has not seen allocated
};

// What one event did. An event can do several things (a context's end frees all its memory) and is then told several
// times. `live` is set for ALLOCATED and FREED and valid during the call.
struct mt_change {
    const struct mt_record_event *event; // its stack is joined on its caller's where a library ran it on its own thread
    uint64_t index;                      // of the event
    uint32_t cause; // the thread whose code led to it: the event's, or that which called for it (callers.h)
    enum mt_change_kind kind;
    const struct mt_live *live;
    bool implied; // not asked for by name: a context ended, or an address was handed out again
};

struct mt_model;
// Called after the model took the change in. Non-zero stops the replay.
typedef int mt_observer_fn(void *user, const struct mt_model *model, const struct mt_change *change);

// The allocations that are an allocator's segments, by the index of the event that made them, ascending.
struct mt_segments {
    uint64_t *indices;
    size_t count, capacity;
};

// The definitions, and the segments when there are any (else NULL), must outlive the model.
struct mt_model *mt_model_new(const struct mt_definitions *definitions, const struct mt_segments *segments);
void mt_model_free(struct mt_model *model);

int mt_model_apply(struct mt_model *model, const struct mt_record_event *event, mt_observer_fn *observer, void *user);

const struct mt_ledgers *mt_model_ledgers(const struct mt_model *model);
uint64_t mt_model_events(const struct mt_model *model); // applied so far

// The NVTX ranges that are open where a change happened.
struct mt_mark mt_model_mark(const struct mt_model *model, const struct mt_change *change);
size_t mt_model_ranges(const struct mt_model *model, const struct mt_change *change, uint32_t *texts, size_t room);

// The live allocation of this identity, or NULL.
const struct mt_live *mt_model_find(const struct mt_model *model, enum mt_space space, uint64_t identity);

// The graphs and their nodes at this point of the trace. What a launch allocated is live like all else.
const struct mt_graphs *mt_model_graphs(const struct mt_model *model);

// Every live allocation, in the order in which they were made.
typedef int mt_live_fn(void *user, const struct mt_live *live); // non-zero stops
int mt_model_each_live(const struct mt_model *model, mt_live_fn *fn, void *user);

// Every mapping of virtual memory, in no order; its value is the identity of the allocation mapped there.
void mt_model_each_mapping(const struct mt_model *model, mt_range_fn *fn, void *user);

// Every range of managed memory that was told to move to a device, in no order and in whole pages; its value is the
// device. And the live managed allocation that lies in such a range, or NULL.
void mt_model_each_migrated(const struct mt_model *model, mt_range_fn *fn, void *user);
const struct mt_live *mt_model_managed(const struct mt_model *model, uint64_t address, uint64_t bytes);

#endif
