// The entry points of memory pools, and allocation and freeing in stream order. Streams run at once here, so stream
// order is program order: a block can be reused as soon as its free was called.
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/linear.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/stream.h"
#include "tests/simcuda/driver/work.h"
#include <string.h>

// NULL pool: the current one of the stream's device.
static CUresult allocate(CUdeviceptr *dptr, uint64_t bytes, CUmemoryPool handle, CUstream stream) {
    if (!dptr || !bytes) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_device *device = sim_stream_device(stream);
    struct sim_pool *pool = NULL;
    CUresult result = device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS) {
        pool = handle ? sim_pool_of(handle) : sim_pool_current(device);
        result = pool && !pool->imported ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    struct sim_range *range = NULL;
    if (result == CUDA_SUCCESS && sim_capturing(stream)) {
        result = sim_capture_allocation(stream, pool->device, bytes, dptr);
    } else if (result == CUDA_SUCCESS) {
        result = sim_pool_take(pool, bytes, &range);
        if (result == CUDA_SUCCESS) *dptr = range->start;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
    return allocate(dptr, bytesize, NULL, hStream);
}

CUresult sim_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
    return pool ? allocate(dptr, bytesize, pool, hStream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
    if (!dptr) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    CUresult result = sim_stream_device(hStream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && sim_capturing(hStream)) {
        result = sim_capture_free(hStream, dptr);
    } else if (result == CUDA_SUCCESS) {
        struct sim_range *range = sim_memory_find(dptr);
        if (!range || range->start != dptr)
            result = CUDA_ERROR_INVALID_VALUE;
        else if (range->use == SIM_POOLED)
            sim_pool_give(range);
        else if (range->use == SIM_LINEAR)
            sim_linear_give(range);
        else if (range->use == SIM_GRAPH)
            result = sim_graph_memory_free(range);
        else
            result = CUDA_ERROR_INVALID_VALUE;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
    if (!pool || !poolProps || poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    CUmemLocationType type = poolProps->location.type;
    bool on_host = type == CU_MEM_LOCATION_TYPE_HOST || type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
    if (on_host ? poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE : type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_device *device = sim_device(on_host ? 0 : poolProps->location.id);
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_pool *made = sim_pool_new(device, poolProps);
    sim_unlock();
    *pool = (CUmemoryPool)made;
    return made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMemPoolDestroy(CUmemoryPool pool) {
    sim_lock();
    struct sim_pool *found = sim_pool_of(pool);
    CUresult result = found && found != found->device->default_pool ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) sim_pool_destroy(found);
    sim_unlock();
    return result;
}

CUresult sim_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
    sim_lock();
    struct sim_pool *found = sim_pool_of(pool);
    if (found) sim_pool_trim(found, minBytesToKeep);
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_attribute(struct sim_pool *pool, CUmemPool_attribute attribute, const void *value) {
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        memcpy(&pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES], value, sizeof(int));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        memcpy(&pool->threshold, value, sizeof(uint64_t));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        pool->reserved_high = pool->reserved;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        pool->used_high = pool->used;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult sim_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    sim_lock();
    struct sim_pool *found = sim_pool_of(pool);
    CUresult result = found && value ? set_attribute(found, attr, value) : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}

static CUresult get_attribute(const struct sim_pool *pool, CUmemPool_attribute attribute, void *value) {
    uint64_t number;
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        memcpy(value, &pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES], sizeof(int));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        number = pool->threshold;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        number = pool->reserved;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        number = pool->reserved_high;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        number = pool->used;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        number = pool->used_high;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(value, &number, sizeof(number));
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    sim_lock();
    const struct sim_pool *found = sim_pool_of(pool);
    CUresult result = found && value ? get_attribute(found, attr, value) : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}

CUresult sim_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
    sim_lock();
    struct sim_pool *found = sim_pool_of(pool);
    CUresult result = found && (map || !count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; result == CUDA_SUCCESS && i < count; i++) {
        if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !sim_device(map[i].location.id))
            result = CUDA_ERROR_INVALID_DEVICE;
        else
            found->access[map[i].location.id] = map[i].flags;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location) {
    sim_lock();
    const struct sim_pool *found = sim_pool_of(memPool);
    bool valid =
        found && flags && location && location->type == CU_MEM_LOCATION_TYPE_DEVICE && sim_device(location->id);
    if (valid) *flags = found->access[location->id];
    sim_unlock();
    return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult pool_of_device(CUmemoryPool *pool, CUdevice dev, struct sim_pool *(*which)(struct sim_device *)) {
    struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    *pool = (CUmemoryPool)which(device);
    sim_unlock();
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
    return pool_of_device(pool_out, dev, sim_pool_default);
}

CUresult sim_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
    return pool_of_device(pool, dev, sim_pool_current);
}

CUresult sim_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
    struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    sim_lock();
    struct sim_pool *found = sim_pool_of(pool);
    bool valid = found && found->device == device;
    if (valid) device->current_pool = found;
    sim_unlock();
    return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult pool_of_location(CUmemoryPool *pool, const CUmemLocation *location, CUmemAllocationType type,
                                 struct sim_pool *(*which)(struct sim_device *)) {
    if (!location || type != CU_MEM_ALLOCATION_TYPE_PINNED || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    return pool_of_device(pool, location->id, which);
}

CUresult sim_cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type) {
    return pool_of_location(pool_out, location, type, sim_pool_default);
}

CUresult sim_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
    return pool_of_location(pool, location, type, sim_pool_current);
}

CUresult sim_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
    if (!location || type != CU_MEM_ALLOCATION_TYPE_PINNED || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    return sim_cuDeviceSetMemPool(location->id, pool);
}
