// cuMemAlloc and its family, cuMemFree for every kind of device memory, and cuMemGetInfo.
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/linear.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/sharing.h"
#include "tests/simcuda/driver/stream.h"

static CUresult allocate(CUdeviceptr *dptr, uint64_t bytes) {
    sim_lock();
    struct sim_range *range = NULL;
    CUresult result = sim_context_current()->old_api ? CUDA_ERROR_INVALID_CONTEXT : sim_capture_forbids_unsafe();
    if (result == CUDA_SUCCESS) result = sim_linear_take(sim_context_current(), bytes, SIM_LINEAR, &range);
    if (result == CUDA_SUCCESS) *dptr = range->start;
    sim_unlock();
    return result;
}

CUresult sim_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
    return dptr && bytesize ? allocate(dptr, bytesize) : CUDA_ERROR_INVALID_VALUE;
}

// The form of 32-bit CUDA: there is no device memory at addresses that it could return.
CUresult sim_cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize) {
    return dptr && bytesize ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                                unsigned int ElementSizeBytes) {
    bool known_element = ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16;
    if (!dptr || !pPitch || !WidthInBytes || !Height || !known_element) return CUDA_ERROR_INVALID_VALUE;
    uint64_t pitch, bytes;
    if (__builtin_add_overflow(WidthInBytes, SIM_ALIGN - 1, &pitch)) return CUDA_ERROR_OUT_OF_MEMORY;
    pitch &= ~(SIM_ALIGN - 1);
    if (__builtin_mul_overflow(pitch, Height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = allocate(dptr, bytes);
    if (result == CUDA_SUCCESS) *pPitch = pitch;
    return result;
}

CUresult sim_cuMemAllocPitch(CUdeviceptr_v1 *dptr, unsigned int *pPitch, unsigned int WidthInBytes, unsigned int Height,
                             unsigned int ElementSizeBytes) {
    bool valid = dptr && pPitch && WidthInBytes && Height && ElementSizeBytes;
    return valid ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemFree_v2(CUdeviceptr dptr) {
    if (!dptr) return CUDA_SUCCESS;
    sim_lock();
    CUresult result = sim_capture_forbids_unsafe();
    struct sim_range *range = sim_memory_find(dptr);
    if (result == CUDA_SUCCESS && (!range || range->start != dptr)) result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        switch (range->use) {
        case SIM_LINEAR:
            sim_linear_give(range);
            break;
        case SIM_MANAGED:
            sim_managed_give(range);
            break;
        case SIM_POOLED:
            sim_pool_give(range);
            sim_pools_settle(sim_context_current()->device); // freeing this way synchronises
            break;
        case SIM_IMPORTED:
            if (range->owner) // a buffer mapped in external memory; what IPC opened is closed otherwise
                sim_imported_give(range);
            else
                result = CUDA_ERROR_INVALID_VALUE;
            break;
        case SIM_GRAPH:
            result = sim_graph_memory_free(range);
            break;
        default:
            result = CUDA_ERROR_INVALID_VALUE;
        }
    }
    sim_unlock();
    return result;
}

CUresult sim_cuMemFree(CUdeviceptr_v1 dptr) {
    return sim_cuMemFree_v2(dptr);
}

CUresult sim_cuMemGetInfo_v2(size_t *free, size_t *total) {
    if (!free || !total) return CUDA_ERROR_INVALID_VALUE;
    if (sim_context_current()->old_api) return CUDA_ERROR_INVALID_CONTEXT;
    const struct sim_device *device = sim_context_current()->device;
    sim_lock();
    *free = sim_device_unused(device);
    *total = device->capacity;
    sim_unlock();
    return CUDA_SUCCESS;
}

CUresult sim_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
    sim_lock();
    struct sim_range *range = sim_memory_find(dptr);
    if (range && pbase) *pbase = range->start;
    if (range && psize) *psize = range->requested;
    sim_unlock();
    return range ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
