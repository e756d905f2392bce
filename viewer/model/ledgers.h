/*
 * The ledgers about a live set. Three ledgers that are never mixed: *physical* (device memory that allocation calls
 * took), *allocator* (blocks that a pool or a framework handed out from inside physical memory) and *host* (pinned,
 * registered, managed). Physical and allocator are kept per device. "Used" is what the program asked for on a device:
 * the allocator's blocks, and of the physical allocations those that are no allocator's segments. Written by the model.
 */
#ifndef MEMTRACE_VIEWER_MODEL_LEDGERS_H
#define MEMTRACE_VIEWER_MODEL_LEDGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "viewer/model/footprint.h"
#include "viewer/model/live.h"

// More devices than this in one process are damage, not hardware.
#define MT_HIGHEST_DEVICE 1023u

struct mt_tally {
    uint64_t bytes, count;
    uint64_t allocations, allocated_bytes; // all that ever were
    uint64_t peak_bytes, peak_index, peak_time_ns;
    uint32_t peak_stack;
};

// What is kept about one device.
struct mt_device_ledgers {
    struct mt_tally ledgers[MT_LEDGERS]; // host is always empty here
    struct mt_tally used;
    struct mt_tally tensors;          // of used: the blocks that a framework's caching allocator handed out
    struct mt_tally others;           // of used: all the rest
    struct mt_tally segments;         // what allocators hold of the device, in which their blocks lie
    struct mt_tally imported;         // other processes' memory, in nothing else here
    struct mt_tally exported;         // of all the rest: what a handle was made for
    struct mt_footprint linear;       // what allocations at addresses take …
    uint64_t objects;                 // … and those that share no pages: arrays, virtual and graph memory
    uint64_t migrated;                // managed memory that was told to move here
    uint64_t pool_reserved;           // what pools told that they hold, in all
    uint64_t pool_held;               // what each told, but no less than the blocks that it handed out
    uint64_t pool_bytes, pool_blocks; // handed out by pools: bytes, number
    struct mt_pool_ledger *current;   // the pool of allocations that name none
    uint32_t contexts;
    bool sampled;
    enum mt_sample_source sample_source;
    uint64_t sample_bytes; // device memory in use when last measured …
    uint64_t sample_taken; // … and what allocations took at that moment
    bool others_known;
    uint64_t sample_others; // what others had beside it, once figures of this process alone tell
    uint64_t sample_total;
    uint64_t in_use_peak;
};

struct mt_pool_ledger;

struct mt_ledgers {
    struct mt_device_ledgers *devices; // 0 … device_count - 1
    size_t device_capacity;
    uint32_t device_count;
    struct mt_tally host;
    uint64_t managed;               // of host: bytes of managed memory, in whole pages
    struct mt_tally host_tensors;   // a framework's blocks on the host, in nothing else here
    struct mt_pool_ledger *pools;   // by handle, those that were not destroyed …
    struct mt_pool_ledger *orphans; // … and those that were, as long as they have blocks, by their address here
};

// When something happened, for the peaks.
struct mt_moment {
    uint64_t index, time_ns; // of the event
    uint32_t stack;
};

void mt_ledgers_clear(struct mt_ledgers *ledgers);
void mt_ledgers_add(struct mt_ledgers *ledgers, struct mt_live *live, struct mt_moment moment);
void mt_ledgers_export(struct mt_ledgers *ledgers, const struct mt_live *live, struct mt_moment moment);
void mt_ledgers_remove(struct mt_ledgers *ledgers, const struct mt_live *live);

// One measurement of device memory in use.
struct mt_sample {
    enum mt_sample_source source;
    bool by_call; // at the end of a call, whose doing a change is
    uint64_t used_bytes, total_bytes;
    uint64_t device_bytes; // in use by all, if used_bytes are this process's; 0: not told
};

// After the first figure of this process alone, all that is told is the process's.
void mt_ledgers_sample(struct mt_ledgers *ledgers, uint32_t device, const struct mt_sample *sample);

// What a pool holds on a device now.
void mt_ledgers_pool(struct mt_ledgers *ledgers, uint64_t handle, uint32_t device, uint64_t reserved_bytes);

// From now on, allocations on the device that name no pool come out of this one.
void mt_ledgers_pool_current(struct mt_ledgers *ledgers, uint64_t handle, uint32_t device);

// A block lies in this pool, as was found out after it was added.
void mt_ledgers_pool_place(struct mt_ledgers *ledgers, struct mt_live *live, uint64_t handle);

// A pool is destroyed. What it holds stays its own until the last of its blocks is freed; the handle may come back.
void mt_ledgers_pool_destroyed(struct mt_ledgers *ledgers, uint64_t handle);

// Managed memory was told to move to the device, or is there no longer.
void mt_ledgers_migrated(struct mt_ledgers *ledgers, uint32_t device, uint64_t bytes, bool here);

// A device was reset: its pools hold nothing any more.
void mt_ledgers_reset_pools(struct mt_ledgers *ledgers, uint32_t device);

// Contexts come and go. With the last one goes all that this process had on the device, and what was measured with it.
void mt_ledgers_context_created(struct mt_ledgers *ledgers, uint32_t device);
void mt_ledgers_context_ended(struct mt_ledgers *ledgers, uint32_t device);

// The ledgers of a device; all zero for one never seen.
const struct mt_device_ledgers *mt_ledgers_device(const struct mt_ledgers *ledgers, uint32_t device);

// What memory pools hold of it: what they tell, and at least all blocks that they handed out.
uint64_t mt_ledgers_pools(const struct mt_device_ledgers *ledgers);

// What allocations take of a device, as it hands memory out: in whole pages, pools by what they reserved.
uint64_t mt_ledgers_taken(const struct mt_ledgers *ledgers, uint32_t device);

// Device memory in use: the last measurement and what allocations changed since, or without one what they asked for.
uint64_t mt_ledgers_in_use(const struct mt_ledgers *ledgers, uint32_t device);

#endif
