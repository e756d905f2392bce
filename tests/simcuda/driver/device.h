// The devices: what they are, and how much of their memory is in use. All but the creation needs the device lock.
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/graph_memory.h"
#include "tests/simcuda/driver/space.h"

#define SIM_MIB     (UINT64_C(1) << 20)
#define SIM_GRANULE (2 * SIM_MIB) // device memory comes in these
#define SIM_ALIGN   UINT64_C(512) // of small allocations

// An H200, as far as memory goes.
enum {
    SIM_MULTIPROCESSORS = 132,
    SIM_THREADS_PER_MULTIPROCESSOR = 2048,
};

struct sim_pool;

struct sim_device {
    int ordinal; // as the program sees it
    int index;   // which device of the machine it is
    uint64_t capacity;
    uint64_t used;          // by this process
    struct sim_space pages; // addresses of cuMemAlloc in granules
    struct sim_space small; // what lies inside those that hold small allocations
    struct sim_space pool_addresses;
    struct sim_context primary;
    struct sim_pool *default_pool, *current_pool;
    struct sim_graph_memory graph_memory;
};

// Creates the visible devices. Once, from cuInit.
CUresult sim_devices_create(void);
int sim_device_count(void);
// NULL: no such ordinal.
struct sim_device *sim_device(CUdevice ordinal);

// What no process uses.
uint64_t sim_device_unused(const struct sim_device *device);

// Device memory comes into use, or stops being.
CUresult sim_device_take(struct sim_device *device, uint64_t bytes);
void sim_device_give(struct sim_device *device, uint64_t bytes);

static inline uint64_t sim_round_up(uint64_t bytes, uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

#endif
