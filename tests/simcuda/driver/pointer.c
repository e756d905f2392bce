// cuPointerGetAttribute and its kin: what is known about an address.
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/pool.h"
#include <string.h>

static size_t attribute_bytes(CUpointer_attribute attribute) {
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return 8;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return 16;
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        return 1;
    default:
        return 4;
    }
}

static bool is_host(const struct sim_range *range) {
    return range->use == SIM_HOST;
}

// What the attribute is of a range that is known; wide enough for all of them.
static uint64_t attribute_of(const struct sim_range *range, CUpointer_attribute attribute, CUdeviceptr address) {
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return (uint64_t)range->context;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return is_host(range) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return address;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return is_host(range) || range->use == SIM_MANAGED ? address : 0;
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return range->id;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return range->use == SIM_MANAGED;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return (uint64_t)(range->device >= 0 || !range->context ? range->device : range->context->device->ordinal);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        return range->use == SIM_LINEAR;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return range->start;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return range->requested;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return 1;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return range->use == SIM_POOLED ? (uint64_t)range->owner : 0;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
    default:
        return 0;
    }
}

// Zeroes, and a device of -2 (none), for an address that isn't known.
static void describe(void *data, CUpointer_attribute attribute, const struct sim_range *range, CUdeviceptr address) {
    uint64_t value = range                                              ? attribute_of(range, attribute, address)
                     : attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? (uint32_t)-2
                                                                        : 0;
    memcpy(data, &value, attribute_bytes(attribute) < 8 ? attribute_bytes(attribute) : 8);
}

static bool is_valid(CUpointer_attribute attribute) {
    return attribute > 0 && attribute <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
}

CUresult sim_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
    if (!data || !is_valid(attribute)) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_range *range = sim_memory_find(ptr);
    bool has_pool = range && range->use == SIM_POOLED;
    bool answers = range && (attribute != CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE || has_pool) &&
                   (attribute != CU_POINTER_ATTRIBUTE_HOST_POINTER || attribute_of(range, attribute, ptr));
    if (answers) describe(data, attribute, range, ptr);
    sim_unlock();
    return answers ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
                                    CUdeviceptr ptr) {
    if (!attributes || !data || !numAttributes) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < numAttributes; i++)
        if (!data[i] || !is_valid(attributes[i])) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_range *range = sim_memory_find(ptr);
    for (unsigned i = 0; i < numAttributes; i++) describe(data[i], attributes[i], range, ptr);
    sim_unlock();
    return CUDA_SUCCESS;
}

CUresult sim_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr) {
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    bool found = sim_memory_find(ptr);
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                    size_t count) {
    if (!data || dataSize < sizeof(int) || !count) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_range *range = sim_managed_find(devPtr);
    int value = attribute == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ? 0 : CU_DEVICE_INVALID;
    if (range && attribute == CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION && range->resident) value = range->device;
    sim_unlock();
    if (!range) return CUDA_ERROR_INVALID_VALUE;
    memcpy(data, &value, sizeof(value));
    return CUDA_SUCCESS;
}

CUresult sim_cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                     size_t numAttributes, CUdeviceptr devPtr, size_t count) {
    if (!data || !dataSizes || !attributes) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < numAttributes; i++) {
        CUresult result = sim_cuMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}
