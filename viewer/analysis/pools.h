/*
 * What became of each memory pool, and of the memory that the graphs of a device share: how much it reserved, how much
 * of that it had handed out, and how large the largest hole between its blocks was, which is what decides whether a
 * large request still fits. Called by view_pools.c.
 *
 * A pool says how much it holds, not where: holes are measured between the lowest and the highest address that it ever
 * handed out, and never exceed what it holds unused.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_POOLS_H
#define MEMTRACE_VIEWER_ANALYSIS_POOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/report.h"

struct mt_pool_state {
    uint64_t time_ns;
    uint64_t reserved, handed_out, blocks; // bytes, bytes, number
    uint64_t hole;                         // bytes of the largest between blocks
};

struct mt_pool {
    uint64_t handle;
    uint32_t device;
    bool graphs;               // no pool, but the memory of all graphs
    bool created, destroyed;   // by the program, as far as the trace shows
    struct mt_pool_state peak; // when it first held most
    struct mt_pool_state last; // at the end of the trace, or of the pool
};

struct mt_pools {
    struct mt_pool *items; // in the order in which they came into sight
    size_t count, capacity;
};

// The caller clears *out. Pools that never held anything are left out.
void mt_pools_find(const struct mt_report *report, struct mt_pools *out);
void mt_pools_clear(struct mt_pools *pools);

#endif
