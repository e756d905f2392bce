/*
 * One allocation that is live, and the ledger it counts in. Made and ended by the model, read by the ledgers and by
 * every analysis.
 */
#ifndef MEMTRACE_VIEWER_MODEL_LIVE_H
#define MEMTRACE_VIEWER_MODEL_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "tracer/format.h"

enum mt_ledger {
    MT_LEDGER_PHYSICAL,
    MT_LEDGER_ALLOCATOR,
    MT_LEDGER_HOST,
    MT_LEDGER_NONE, // followed, never summed: imports, address ranges, a framework's CPU blocks, and the blocks of
                    // launched graphs, whose memory is counted where the device's graphs take it together
};
#define MT_LEDGERS 3

// Where an identity is unique. A segment and the first tensor in it share an address, so they live in two spaces.
enum mt_space {
    MT_SPACE_ADDRESS, // what the driver hands out, device or host
    MT_SPACE_OBJECT,  // handles: arrays, VMM allocations, imports
    MT_SPACE_TENSOR,  // a framework's blocks on the device
    MT_SPACE_TENSOR_CPU,
    MT_SPACE_RESERVED, // address ranges without memory
};

struct mt_live_key {
    uint64_t identity; // address or handle
    uint64_t space;    // enum mt_space
};

// One allocation that is live.
struct mt_live {
    struct mt_live_key key;
    uint64_t bytes;   // as asked for
    uint64_t taken;   // as really taken, where known; else the same
    uint64_t index;   // of the event that made it, counted from 0
    uint64_t time_ns; // when
    uint64_t stream;
    uint32_t api, stack, thread, context, device;
    uint32_t references, mappings; // VMM: gone when both are 0
    uint32_t phase, label;         // NVTX (marks.h) at that moment: string ids, 0: none, and MT_PHASE_SINCE
    uint64_t pool;                 // the pool or heap it lies in, where the event named it
    struct mt_pool_ledger *home;   // MT_MEMORY_POOL: the ledgers of its pool, this life of the handle
    enum mt_memory memory;
    enum mt_ledger ledger;
    bool segment;  // an allocator carves its blocks out of it
    bool exported; // another process may have it too
    bool late;     // a call was to free it, when the driver had shut down already
    UT_hash_handle hh;
};

// Whether it counts as used on its device.
bool mt_live_is_used(const struct mt_live *live);

#endif
