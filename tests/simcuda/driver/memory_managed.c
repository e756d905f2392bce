// Managed memory: addresses that the host and every device reach, with device memory behind them only after a prefetch.
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/layout.h"
#include "tests/simcuda/driver/memory.h"

static struct sim_space managed;

struct sim_range *sim_managed_find(uint64_t address) {
    return sim_space_find(&managed, address);
}

CUresult sim_managed_take(struct sim_context *context, uint64_t bytes, struct sim_range **result) {
    struct sim_range *range;
    if (sim_layout_take(SIM_REGION_MANAGED, &managed, bytes, &range)) return CUDA_ERROR_OUT_OF_MEMORY;
    sim_range_describe(range, SIM_MANAGED, bytes, context->device->ordinal, context);
    range->resident = 0; // none on the device until it is moved there
    *result = range;
    return CUDA_SUCCESS;
}

void sim_managed_end(const struct sim_context *context) {
    uint64_t address = 0;
    for (struct sim_range *range; (range = sim_space_next(&managed, address));) {
        address = range->start + range->bytes;
        if (range->context == context) sim_managed_give(range);
    }
}

CUresult sim_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
    if (!dptr || !bytesize || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_range *range = NULL;
    sim_lock();
    CUresult result = sim_capture_forbids_unsafe();
    if (result == CUDA_SUCCESS) result = sim_managed_take(sim_context_current(), bytesize, &range);
    if (result == CUDA_SUCCESS) {
        range->flags = flags;
        *dptr = range->start;
    }
    sim_unlock();
    return result;
}

void sim_managed_give(struct sim_range *range) {
    sim_device_give(sim_device(range->device), range->resident);
    sim_range_forget_contents(range);
    sim_space_give(&managed, range);
}

// Moves managed memory to a device or, for CU_DEVICE_CPU, to the host. Memory is moved whole: that is enough for
// counting.
static CUresult prefetch(CUdeviceptr devPtr, size_t count, CUdevice to) {
    struct sim_device *device = sim_device(to);
    if (!device && to != CU_DEVICE_CPU) return CUDA_ERROR_INVALID_DEVICE;
    sim_lock();
    struct sim_range *range = sim_managed_find(devPtr);
    CUresult result = CUDA_SUCCESS;
    if (!range || !count || devPtr + count > range->start + range->bytes) {
        result = CUDA_ERROR_INVALID_VALUE;
    } else {
        sim_device_give(sim_device(range->device), range->resident);
        range->resident = 0;
        uint64_t bytes = sim_round_up(range->bytes, SIM_GRANULE);
        if (device && sim_device_take(device, bytes) == CUDA_SUCCESS) { // with no room it stays where it is
            range->device = to;
            range->resident = bytes;
        }
    }
    sim_unlock();
    return result;
}

CUresult sim_cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
    (void)hStream;
    return prefetch(devPtr, count, dstDevice);
}

CUresult sim_cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                                   CUstream hStream) {
    (void)hStream;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return prefetch(devPtr, count, location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU);
}

static CUresult advise(CUdeviceptr devPtr, size_t count) {
    sim_lock();
    const struct sim_range *range = sim_managed_find(devPtr);
    bool inside = range && count && devPtr + count <= range->start + range->bytes;
    sim_unlock();
    return inside ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
    (void)advice;
    (void)device;
    return advise(devPtr, count);
}

CUresult sim_cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location) {
    (void)advice;
    (void)location;
    return advise(devPtr, count);
}
