// From an address to the allocation that holds it: the region tells the kind, the kind's own space the piece.
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/layout.h"
#include "tests/simcuda/driver/linear.h"
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/sharing.h"
#include "tests/simcuda/driver/virtual.h"
#include <sys/mman.h>

// Contents of blocks from this size on are dropped when they are freed; for smaller ones the call would cost too much.
#define FORGET_FROM (64 * SIM_MIB)

static uint64_t next_id = 1;

void sim_range_describe(struct sim_range *range, enum sim_use use, uint64_t requested, int device,
                        struct sim_context *context) {
    range->use = use;
    range->requested = requested;
    range->resident = range->bytes;
    range->device = device;
    range->context = context && context->green ? &context->device->primary : context; // a green one owns nothing
    range->owner = NULL;
    range->flags = 0;
    range->id = next_id++;
}

void sim_range_forget_contents(const struct sim_range *range) {
    if (range->bytes >= FORGET_FROM) madvise((void *)range->start, range->bytes, MADV_DONTNEED);
}

static struct sim_range *find_on_device(int region, uint64_t address) {
    int index = (region - SIM_REGION_DEVICES) / 2;
    bool pooled = (region - SIM_REGION_DEVICES) % 2;
    for (int i = 0; i < sim_device_count(); i++) {
        struct sim_device *device = sim_device(i);
        if (device->index == index) return pooled ? sim_pool_find(device, address) : sim_linear_find(device, address);
    }
    return NULL;
}

struct sim_range *sim_memory_find(uint64_t address) {
    int region = sim_layout_region(address);
    if (region >= SIM_REGION_DEVICES) return find_on_device(region, address);
    if (region == SIM_REGION_MANAGED) return sim_managed_find(address);
    if (region == SIM_REGION_IMPORTED) return sim_imported_find(address);
    if (region >= SIM_REGION_VIRTUAL) return sim_virtual_find(address);
    return sim_host_find(address);
}

struct sim_range *sim_memory_at(uint64_t start, enum sim_use use) {
    struct sim_range *range = sim_memory_find(start);
    return range && range->start == start && range->use == use ? range : NULL;
}
