// The devices and the count of their memory in use.
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/config.h"
#include "tests/simcuda/driver/layout.h"
#include "tests/simcuda/driver/shared.h"

static struct sim_device devices[SIMCUDA_MAX_DEVICES];
static int device_count;

static CUresult create(struct sim_device *device, int ordinal) {
    const struct sim_config *config = sim_config();
    device->ordinal = ordinal;
    device->index = config->visible[ordinal];
    device->capacity = config->memory_bytes;
    device->small.boundary = SIM_GRANULE;
    enum sim_region region = SIM_REGION_DEVICES + 2 * (unsigned)device->index;
    if (sim_layout_open(region, &device->pages) || sim_layout_open(region + 1, &device->pool_addresses))
        return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

CUresult sim_devices_create(void) {
    int count = sim_config()->visible_count;
    for (int i = 0; i < count; i++) {
        CUresult result = create(&devices[i], i);
        if (result != CUDA_SUCCESS) return result;
    }
    device_count = count;
    return CUDA_SUCCESS;
}

int sim_device_count(void) {
    return device_count;
}

struct sim_device *sim_device(CUdevice ordinal) {
    return ordinal >= 0 && ordinal < device_count ? &devices[ordinal] : NULL;
}

uint64_t sim_device_unused(const struct sim_device *device) {
    uint64_t used = device->used + sim_shared_others(device->index);
    return used < device->capacity ? device->capacity - used : 0;
}

CUresult sim_device_take(struct sim_device *device, uint64_t bytes) {
    if (bytes > sim_device_unused(device)) return CUDA_ERROR_OUT_OF_MEMORY;
    device->used += bytes;
    sim_shared_set(device->index, device->used);
    return CUDA_SUCCESS;
}

void sim_device_give(struct sim_device *device, uint64_t bytes) {
    device->used -= bytes;
    sim_shared_set(device->index, device->used);
}
