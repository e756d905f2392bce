// The count of graphs' memory, in the steps of pools.
#include "tests/simcuda/driver/graph_memory.h"
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/graph.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/pool.h"
#include <stdlib.h>
#include <string.h>

CUresult sim_graph_block_new(struct sim_device *device, uint64_t bytes, struct sim_graph_block **result) {
    if (!bytes || bytes > device->capacity) return bytes ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    struct sim_graph_block *block = calloc(1, sizeof(*block));
    struct sim_range *range = sim_space_take(&device->pool_addresses, sim_round_up(bytes, SIM_GRANULE), SIM_GRANULE);
    if (!block || !range) {
        free(block);
        if (range) sim_space_give(&device->pool_addresses, range);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    sim_range_describe(range, SIM_GRAPH, bytes, device->ordinal, NULL);
    range->owner = block;
    *block = (struct sim_graph_block){
        .range = range, .device = device, .bytes = sim_round_up(bytes, SIM_ALIGN), .references = 1};
    *result = block;
    return CUDA_SUCCESS;
}

static void settle(struct sim_graph_block *block) {
    if (block->references || block->live) return;
    sim_range_forget_contents(block->range);
    sim_space_give(&block->device->pool_addresses, block->range);
    free(block);
}

void sim_graph_block_drop(struct sim_graph_block *block) {
    block->references--;
    settle(block);
}

void sim_graph_block_allocate(struct sim_graph_block *block) {
    block->live = true;
}

CUresult sim_graph_block_free(struct sim_graph_block *block) {
    if (!block->live) return CUDA_ERROR_INVALID_VALUE;
    block->live = false;
    if (block->orphan) sim_graph_memory_uncommit(block->device, sim_round_up(block->bytes, SIM_POOL_STEP));
    block->orphan = false;
    settle(block);
    return CUDA_SUCCESS;
}

CUresult sim_graph_block_orphan(struct sim_graph_block *block) {
    CUresult result = sim_graph_memory_commit(block->device, sim_round_up(block->bytes, SIM_POOL_STEP));
    block->orphan = result == CUDA_SUCCESS;
    return result;
}

CUresult sim_graph_memory_free(struct sim_range *range) {
    return sim_graph_block_free(range->owner);
}

CUresult sim_graph_memory_commit(struct sim_device *device, uint64_t bytes) {
    struct sim_graph_memory *memory = &device->graph_memory;
    uint64_t idle = memory->reserved - memory->committed;
    if (bytes > idle) {
        CUresult result = sim_device_take(device, bytes - idle);
        if (result != CUDA_SUCCESS) return result;
        memory->reserved += bytes - idle;
        if (memory->reserved > memory->reserved_high) memory->reserved_high = memory->reserved;
        if (memory->reserved > memory->used_high) memory->used_high = memory->reserved;
    }
    memory->committed += bytes;
    return CUDA_SUCCESS;
}

void sim_graph_memory_uncommit(struct sim_device *device, uint64_t bytes) {
    device->graph_memory.committed -= bytes;
}

static void trim(struct sim_device *device) {
    struct sim_graph_memory *memory = &device->graph_memory;
    sim_device_give(device, memory->reserved - memory->committed);
    memory->reserved = memory->committed;
}

void sim_graph_memory_end(struct sim_device *device) {
    uint64_t address = 0;
    for (struct sim_range *range; (range = sim_space_next(&device->pool_addresses, address));) {
        address = range->start + range->bytes;
        struct sim_graph_block *block = range->owner;
        if (range->use == SIM_GRAPH && block->live) sim_graph_block_free(block);
    }
    sim_execs_lose_memory(device);
    trim(device);
}

CUresult sim_cuDeviceGraphMemTrim(CUdevice dev) {
    struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    sim_lock();
    trim(device);
    sim_unlock();
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetGraphMemAttribute(CUdevice dev, CUgraphMem_attribute attr, void *value) {
    const struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_graph_memory memory = device->graph_memory;
    sim_unlock();
    uint64_t number;
    switch (attr) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        number = memory.used_high;
        break;
    // Memory counts as used until it is trimmed, freed or not, as a real device was seen to tell.
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        number = memory.reserved;
        break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        number = memory.reserved_high;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(value, &number, sizeof(number));
    return CUDA_SUCCESS;
}

// The high-water marks can be reset, nothing else.
CUresult sim_cuDeviceSetGraphMemAttribute(CUdevice dev, CUgraphMem_attribute attr, void *value) {
    struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    if (!value || (attr != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH && attr != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
        return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    if (attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
        device->graph_memory.used_high = device->graph_memory.reserved;
    else
        device->graph_memory.reserved_high = device->graph_memory.reserved;
    sim_unlock();
    return CUDA_SUCCESS;
}
