// The entry points of virtual memory management.
#include "tests/simcuda/driver/virtual.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/layout.h"
#include "tests/simcuda/driver/memory.h"
#include <stdlib.h>

enum { REGIONS = SIM_REGION_IMPORTED - SIM_REGION_VIRTUAL };

static struct sim_space reserved; // ranges that the program reserved
static struct sim_space mapped;   // mappings, over the same addresses
static uint64_t next_id = 1;

static bool open_regions(void) {
    if (mapped.root) return true;
    for (int i = 0; i < REGIONS; i++)
        if (sim_layout_open(SIM_REGION_VIRTUAL + i, &reserved)) return false;
    const struct sim_range *all = reserved.root; // one free piece, as the regions lie in a row
    return !sim_space_add(&mapped, all->start, all->bytes);
}

struct sim_range *sim_virtual_find(uint64_t address) {
    return sim_space_find(&mapped, address);
}

CUresult sim_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                 unsigned long long flags) {
    bool power = !(alignment & (alignment - 1));
    if (!ptr || !size || size % SIM_GRANULE || !power || flags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_range *range = NULL;
    if (open_regions()) {
        if (addr && addr % SIM_GRANULE == 0) range = sim_space_take_at(&reserved, addr, size);
        if (!range) range = sim_space_take(&reserved, size, alignment > SIM_GRANULE ? alignment : SIM_GRANULE);
    }
    if (range) {
        sim_range_describe(range, SIM_RESERVED, size, -1, NULL);
        *ptr = range->start;
    }
    sim_unlock();
    return range ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

// True if a mapping lies in [start, start + bytes).
static bool has_mapping(uint64_t start, uint64_t bytes) {
    const struct sim_range *next = sim_space_next(&mapped, start);
    return sim_space_find(&mapped, start) || (next && next->start < start + bytes);
}

CUresult sim_cuMemAddressFree(CUdeviceptr ptr, size_t size) {
    sim_lock();
    struct sim_range *range = sim_space_find(&reserved, ptr);
    bool whole = range && range->start == ptr && range->bytes == size && !has_mapping(ptr, size);
    if (whole) sim_space_give(&reserved, range);
    sim_unlock();
    return whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

struct sim_physical *sim_physical_new(const CUmemAllocationProp *properties, uint64_t bytes, int device) {
    struct sim_physical *physical = calloc(1, sizeof(*physical));
    if (!physical) return NULL;
    physical->properties = *properties;
    physical->bytes = bytes;
    physical->device = device;
    physical->references = 1;
    physical->id = next_id++;
    sim_object_add(&physical->object, SIM_KIND_PHYSICAL, NULL);
    return physical;
}

struct sim_physical *sim_physical_of(CUmemGenericAllocationHandle handle) {
    struct sim_physical *physical = sim_object_of((const void *)handle, SIM_KIND_PHYSICAL);
    return physical && physical->references ? physical : NULL;
}

struct sim_physical *sim_physical_by_id(uint64_t id) {
    struct sim_physical *physical = NULL;
    while ((physical = sim_object_next(physical, SIM_KIND_PHYSICAL)) && physical->id != id) {
    }
    return physical;
}

void sim_physical_settle(struct sim_physical *physical) {
    if (physical->references || physical->uses) return;
    while (physical->bindings) {
        struct sim_binding *binding = physical->bindings;
        physical->bindings = binding->next;
        if (binding->memory) {
            binding->memory->uses--;
            sim_physical_settle(binding->memory);
        }
        free(binding);
    }
    if (physical->device >= 0) sim_device_give(sim_device(physical->device), physical->bytes);
    sim_object_remove(&physical->object);
    free(physical);
}

static CUresult create(struct sim_physical **result, const CUmemAllocationProp *properties, uint64_t bytes) {
    struct sim_device *device = NULL;
    if (properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
        device = sim_device(properties->location.id);
        if (!device) return CUDA_ERROR_INVALID_DEVICE;
        CUresult taken = sim_device_take(device, bytes);
        if (taken != CUDA_SUCCESS) return taken;
    }
    *result = sim_physical_new(properties, bytes, device ? device->ordinal : -1);
    if (*result) return CUDA_SUCCESS;
    if (device) sim_device_give(device, bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                         unsigned long long flags) {
    if (!handle || !prop || !size || size % SIM_GRANULE || flags || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        prop->location.type == CU_MEM_LOCATION_TYPE_INVALID)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_physical *physical;
    sim_lock();
    CUresult result = create(&physical, prop, size);
    sim_unlock();
    if (result == CUDA_SUCCESS) *handle = (CUmemGenericAllocationHandle)physical;
    return result;
}

CUresult sim_cuMemRelease(CUmemGenericAllocationHandle handle) {
    sim_lock();
    struct sim_physical *physical = sim_physical_of(handle);
    if (physical) {
        physical->references--;
        sim_physical_settle(physical);
    }
    sim_unlock();
    return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                      unsigned long long flags) {
    if (!size || (ptr | size | offset) % SIM_GRANULE || flags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_physical *physical = sim_physical_of(handle);
    const struct sim_range *addresses = sim_space_find(&reserved, ptr);
    bool fits =
        physical && offset + size <= physical->bytes && addresses && ptr + size <= addresses->start + addresses->bytes;
    struct sim_range *mapping = fits ? sim_space_take_at(&mapped, ptr, size) : NULL;
    if (mapping) {
        sim_range_describe(mapping, SIM_RESERVED, size, physical->device, NULL);
        mapping->owner = physical;
        physical->uses++;
    }
    sim_unlock();
    return mapping ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// True if [start, start + bytes) is mapped all through, and no mapping sticks out of it.
static bool is_whole_mappings(uint64_t start, uint64_t bytes) {
    uint64_t at = start;
    while (at < start + bytes) {
        const struct sim_range *mapping = sim_space_find(&mapped, at);
        if (!mapping || mapping->start != at) return false;
        at += mapping->bytes;
    }
    return bytes && at == start + bytes;
}

CUresult sim_cuMemUnmap(CUdeviceptr ptr, size_t size) {
    sim_lock();
    bool whole = is_whole_mappings(ptr, size);
    for (uint64_t at = ptr; whole && at < ptr + size;) {
        struct sim_range *mapping = sim_space_find(&mapped, at);
        struct sim_physical *physical = mapping->owner;
        at += mapping->bytes;
        sim_range_forget_contents(mapping);
        sim_space_give(&mapped, mapping);
        physical->uses--;
        sim_physical_settle(physical);
    }
    sim_unlock();
    return whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
    if (!desc || !count) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    bool whole = is_whole_mappings(ptr, size);
    for (uint64_t at = ptr; whole && at < ptr + size;) {
        struct sim_range *mapping = sim_space_find(&mapped, at);
        mapping->flags = desc[0].flags;
        at += mapping->bytes;
    }
    sim_unlock();
    return whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr) {
    if (!flags || !location) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_range *mapping = sim_space_find(&mapped, ptr);
    if (mapping) *flags = mapping->flags;
    sim_unlock();
    return mapping ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr) {
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_range *mapping = sim_space_find(&mapped, (uint64_t)addr);
    if (mapping) {
        struct sim_physical *physical = mapping->owner;
        physical->references++;
        *handle = (CUmemGenericAllocationHandle)physical;
    }
    sim_unlock();
    return mapping ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                           CUmemAllocationGranularity_flags option) {
    (void)option;
    if (!granularity || !prop) return CUDA_ERROR_INVALID_VALUE;
    *granularity = SIM_GRANULE;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle) {
    if (!prop) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_physical *physical = sim_physical_of(handle);
    if (physical) *prop = physical->properties;
    sim_unlock();
    return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemGetHandleForAddressRange(void *handle, CUdeviceptr dptr, size_t size, CUmemRangeHandleType handleType,
                                           unsigned long long flags) {
    (void)handle;
    (void)dptr;
    (void)size;
    (void)handleType;
    (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

// Sparse arrays: which tile lies where doesn't matter to the count, so a mapping is checked and forgotten.
CUresult sim_cuMemMapArrayAsync(CUarrayMapInfo *mapInfoList, unsigned int count, CUstream hStream) {
    (void)hStream;
    if (!mapInfoList || !count) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    sim_lock();
    for (unsigned i = 0; i < count; i++)
        if (mapInfoList[i].memOperationType == CU_MEM_OPERATION_TYPE_MAP &&
            !sim_physical_of(mapInfoList[i].memHandle.memHandle))
            result = CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}
