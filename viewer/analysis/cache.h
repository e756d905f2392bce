/*
 * What a framework's caching allocator holds of a device and why it cannot use it: how much lies in tensors, how much
 * is cached, and in what pieces. Who reads "out of memory: … reserved but unallocated" wants to know whether that is
 * segments without a tensor, which can be given back, or holes between tensors, too small for what was asked for.
 * Called by the view of --pools, and where an allocator ran out of memory.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_CACHE_H
#define MEMTRACE_VIEWER_ANALYSIS_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/report.h"

// handed_out + free_bytes + hole_bytes = reserved, to the byte.
struct mt_cache_state {
    uint64_t time_ns;
    uint64_t reserved, segments;        // bytes, number
    uint64_t handed_out, blocks;        // in segments; of blocks that span several the parts count as one
    uint64_t free_bytes, free_segments; // in which no block lies
    uint64_t hole_bytes, holes;         // of the other segments
    uint64_t largest;                   // piece that is free, be it a hole or segments side by side in virtual memory
};

// What it holds now; out->time_ns is left to the caller.
void mt_cache_measure(const struct mt_model *model, uint32_t device, struct mt_cache_state *out);

struct mt_cache {
    uint32_t device;
    struct mt_cache_state peak; // when it held most, just after it handed out the block for which it grew to that
    uint64_t peak_bytes;        // of that block
    uint32_t peak_stack;
    struct mt_cache_state end;
    uint64_t growths; // how often it took segments for a block …
    uint64_t vain;    // … when it had as many bytes cached already
};

struct mt_caches {
    struct mt_cache *items; // by device
    size_t count;
};

// Devices on which no framework's allocator took a segment are left out. The caller frees out->items.
void mt_caches_find(const struct mt_report *report, struct mt_caches *out);

#endif
