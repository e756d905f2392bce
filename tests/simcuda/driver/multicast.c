// Multicast objects: handles that memory of several devices is bound to. Only the references matter here.
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/virtual.h"
#include <stdlib.h>

static struct sim_physical *multicast_of(CUmemGenericAllocationHandle handle) {
    struct sim_physical *physical = sim_physical_of(handle);
    return physical && physical->multicast ? physical : NULL;
}

CUresult sim_cuMulticastCreate(CUmemGenericAllocationHandle *mcHandle, const CUmulticastObjectProp *prop) {
    if (!mcHandle || !prop || !prop->numDevices || !prop->size || prop->size % SIM_GRANULE)
        return CUDA_ERROR_INVALID_VALUE;
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    sim_lock();
    struct sim_physical *object = sim_physical_new(&properties, prop->size, -1);
    if (object) object->multicast = true;
    sim_unlock();
    *mcHandle = (CUmemGenericAllocationHandle)object;
    return object ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev) {
    sim_lock();
    bool found = multicast_of(mcHandle);
    sim_unlock();
    return !found ? CUDA_ERROR_INVALID_VALUE : sim_device(dev) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

// NULL memory: bound by an address.
static CUresult bind(struct sim_physical *object, struct sim_physical *memory, uint64_t offset, uint64_t bytes,
                     CUdevice device) {
    if (!object || !bytes || (offset | bytes) % SIM_GRANULE || offset + bytes > object->bytes)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_binding *binding = calloc(1, sizeof(*binding));
    if (!binding) return CUDA_ERROR_OUT_OF_MEMORY;
    *binding = (struct sim_binding){
        .next = object->bindings, .memory = memory, .offset = offset, .bytes = bytes, .device = device};
    object->bindings = binding;
    if (memory) memory->uses++;
    return CUDA_SUCCESS;
}

CUresult sim_cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                CUmemGenericAllocationHandle memHandle, size_t memOffset, size_t size,
                                unsigned long long flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_physical *memory = sim_physical_of(memHandle);
    bool fits = memory && !memory->multicast && memOffset + size <= memory->bytes;
    CUresult result =
        fits ? bind(multicast_of(mcHandle), memory, mcOffset, size, memory->device) : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}

CUresult sim_cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset, CUdeviceptr memptr,
                                 size_t size, unsigned long long flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_range *range = sim_memory_find(memptr);
    bool fits = range && memptr + size <= range->start + range->bytes;
    struct sim_physical *memory = fits && range->use == SIM_RESERVED ? range->owner : NULL;
    CUresult result =
        fits ? bind(multicast_of(mcHandle), memory, mcOffset, size, range->device) : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}

CUresult sim_cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset, size_t size) {
    sim_lock();
    struct sim_physical *object = multicast_of(mcHandle);
    struct sim_binding **at = object ? &object->bindings : NULL;
    while (at && *at && ((*at)->device != dev || (*at)->offset != mcOffset || (*at)->bytes != size)) at = &(*at)->next;
    struct sim_binding *binding = at ? *at : NULL;
    if (binding) {
        *at = binding->next;
        if (binding->memory) {
            binding->memory->uses--;
            sim_physical_settle(binding->memory);
        }
        free(binding);
    }
    sim_unlock();
    return binding ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
                                       CUmulticastGranularity_flags option) {
    (void)option;
    if (!granularity || !prop) return CUDA_ERROR_INVALID_VALUE;
    *granularity = SIM_GRANULE;
    return CUDA_SUCCESS;
}
