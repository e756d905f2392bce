// Memory pools: blocks handed out of reservations that grow in steps of 32 MiB and shrink when the program
// synchronises, down to the release threshold. Needs the device lock.
#ifndef SIM_POOL_H
#define SIM_POOL_H

#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/handles.h"

#define SIM_POOL_STEP (32 * SIM_MIB)

enum { SIM_POOL_SPANS = 8 };

// Some addresses of a pool, in steps: each has device memory behind it or not, and holds blocks or not.
struct sim_span {
    struct sim_range *addresses; // a step more than `bytes`, so that no block reaches from one span into the next
    uint64_t bytes;
    uint32_t *blocks; // [steps] blocks that touch the step
    bool *backed;     // [steps]
};

struct sim_pool {
    struct sim_object object;
    struct sim_pool *next;     // of the process
    struct sim_device *device; // whose addresses it has, also if its memory is the host's
    struct sim_space space;
    struct sim_span spans[SIM_POOL_SPANS];
    int span_count;
    uint64_t live;       // blocks
    uint64_t idle_steps; // backed, without blocks
    bool closing;        // destroyed while blocks are live: goes with the last one
    bool imported;
    int reuse[3]; // the three CU_MEMPOOL_ATTR_REUSE_ flags
    uint64_t threshold;
    uint64_t maximum; // 0: none
    uint64_t reserved, reserved_high, used, used_high;
    CUmemPoolProps properties;
    CUmemAccess_flags access[16]; // by device
};

// A new pool on the device, or NULL.
struct sim_pool *sim_pool_new(struct sim_device *device, const CUmemPoolProps *properties);
struct sim_pool *sim_pool_of(CUmemoryPool handle);
struct sim_pool *sim_pool_default(struct sim_device *device);
struct sim_pool *sim_pool_current(struct sim_device *device);

CUresult sim_pool_take(struct sim_pool *pool, uint64_t bytes, struct sim_range **result);
void sim_pool_give(struct sim_range *range);
// Releases idle reservations of a pool until no more than `keep` bytes are reserved.
void sim_pool_trim(struct sim_pool *pool, uint64_t keep);
// The program synchronised with the device: each of its pools shrinks to its threshold.
void sim_pools_settle(struct sim_device *device);
// Frees every block and reservation on the device.
void sim_pools_end(struct sim_device *device);
// The block of a pool or of a graph that holds the address, or NULL.
struct sim_range *sim_pool_find(struct sim_device *device, uint64_t address);

void sim_pool_destroy(struct sim_pool *pool);

#endif
