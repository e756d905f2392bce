// Blocks under a granule are packed into shared granules; the others get their own. A shared granule goes back to the
// device when the last block in it is freed, as on the real one.
#include "tests/simcuda/driver/linear.h"
#include "tests/simcuda/driver/memory.h"
#include <sys/mman.h>

static struct sim_range *take_pages(struct sim_device *device, uint64_t bytes) {
    if (sim_device_take(device, bytes) != CUDA_SUCCESS) return NULL;
    struct sim_range *range = sim_space_take(&device->pages, bytes, SIM_GRANULE);
    if (!range) sim_device_give(device, bytes);
    return range;
}

static void give_pages(struct sim_device *device, struct sim_range *range) {
    sim_device_give(device, range->bytes);
    sim_space_give(&device->pages, range);
}

static struct sim_range *take_small(struct sim_device *device, uint64_t bytes) {
    struct sim_range *range = sim_space_take(&device->small, bytes, SIM_ALIGN);
    if (range) return range;
    struct sim_range *page = take_pages(device, SIM_GRANULE);
    if (!page) return NULL;
    page->use = SIM_INTERNAL;
    if (sim_space_add(&device->small, page->start, SIM_GRANULE)) {
        give_pages(device, page);
        return NULL;
    }
    return sim_space_take(&device->small, bytes, SIM_ALIGN);
}

CUresult sim_linear_take(struct sim_context *context, uint64_t bytes, enum sim_use use, struct sim_range **result) {
    struct sim_device *device = context->device;
    if (bytes > device->capacity) return CUDA_ERROR_OUT_OF_MEMORY;
    uint64_t taken = sim_round_up(bytes, SIM_ALIGN);
    struct sim_range *range =
        taken < SIM_GRANULE ? take_small(device, taken) : take_pages(device, sim_round_up(bytes, SIM_GRANULE));
    if (!range) return CUDA_ERROR_OUT_OF_MEMORY;
    sim_range_describe(range, use, bytes, device->ordinal, context);
    *result = range;
    return CUDA_SUCCESS;
}

void sim_linear_give(struct sim_range *range) {
    struct sim_device *device = sim_device(range->device);
    if (range->bytes >= SIM_GRANULE) {
        sim_range_forget_contents(range);
        give_pages(device, range);
        return;
    }
    struct sim_range *rest = sim_space_give(&device->small, range);
    if (rest->bytes < SIM_GRANULE) return;
    uint64_t page = rest->start;
    sim_space_remove(&device->small, rest);
    give_pages(device, sim_space_find(&device->pages, page));
}

struct sim_range *sim_linear_find(struct sim_device *device, uint64_t address) {
    struct sim_range *range = sim_space_find(&device->pages, address);
    return range && range->use == SIM_INTERNAL ? sim_space_find(&device->small, address) : range;
}

static void give_all(struct sim_space *space, const struct sim_context *context) {
    uint64_t address = 0;
    for (struct sim_range *range; (range = sim_space_next(space, address));) {
        address = range->start + range->bytes;
        if (range->context == context) sim_linear_give(range);
    }
}

void sim_linear_end(struct sim_context *context) {
    give_all(&context->device->small, context);
    give_all(&context->device->pages, context);
}
