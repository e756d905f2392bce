// External memory, as graphics APIs share it: an imported object, with buffers and mipmapped arrays mapped in it.
#include "tests/simcuda/driver/array.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/sharing.h"
#include <stdlib.h>
#include <unistd.h>

struct sim_external {
    struct sim_object object;
    uint64_t bytes;
    int device;
};

CUresult sim_cuImportExternalMemory(CUexternalMemory *extMem_out,
                                    const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
    struct sim_ticket ticket;
    if (!extMem_out || !memHandleDesc || !memHandleDesc->size ||
        memHandleDesc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD ||
        !sim_ticket_from_fd(memHandleDesc->handle.fd, &ticket) || !sim_ticket_is(&ticket, SIM_TICKET_PHYSICAL) ||
        memHandleDesc->size > ticket.bytes)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_external *external = calloc(1, sizeof(*external));
    if (!external) return CUDA_ERROR_OUT_OF_MEMORY;
    close(memHandleDesc->handle.fd); // the driver's from here on
    sim_lock();
    external->bytes = memHandleDesc->size;
    external->device = sim_ticket_device(&ticket)->ordinal;
    sim_object_add(&external->object, SIM_KIND_EXTERNAL, NULL);
    sim_unlock();
    *extMem_out = (CUexternalMemory)external;
    return CUDA_SUCCESS;
}

// Addresses for a part of the memory. Needs the lock.
static CUresult map(CUexternalMemory handle, uint64_t offset, uint64_t bytes, struct sim_range **range) {
    struct sim_external *external = sim_object_of(handle, SIM_KIND_EXTERNAL);
    if (!external) return CUDA_ERROR_INVALID_HANDLE;
    if (!bytes || offset > external->bytes || bytes > external->bytes - offset) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = sim_imported_take(bytes, external->device, range);
    if (result == CUDA_SUCCESS) (*range)->owner = external;
    return result;
}

CUresult sim_cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                             const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
    if (!devPtr || !bufferDesc || bufferDesc->flags) return CUDA_ERROR_INVALID_VALUE;
    struct sim_range *range;
    sim_lock();
    CUresult result = map(extMem, bufferDesc->offset, bufferDesc->size, &range);
    if (result == CUDA_SUCCESS) *devPtr = range->start;
    sim_unlock();
    return result;
}

CUresult sim_cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *mipmap, CUexternalMemory extMem,
                                                     const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc) {
    if (!mipmap || !mipmapDesc || !mipmapDesc->numLevels || mipmapDesc->numLevels > SIM_MAX_LEVELS)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t bytes = sim_mipmap_bytes(&mipmapDesc->arrayDesc, mipmapDesc->numLevels);
    struct sim_range *range;
    struct sim_mipmap *made;
    sim_lock();
    CUresult result = map(extMem, mipmapDesc->offset, bytes, &range);
    if (result == CUDA_SUCCESS) {
        result =
            sim_mipmap_new(&made, sim_context_current(), &mipmapDesc->arrayDesc, mipmapDesc->numLevels, range->start);
        if (result == CUDA_SUCCESS) {
            made->range = range;
            *mipmap = (CUmipmappedArray)made;
        } else {
            sim_imported_give(range);
        }
    }
    sim_unlock();
    return result;
}

// Mappings outlive the object, as they hold the memory too.
CUresult sim_cuDestroyExternalMemory(CUexternalMemory extMem) {
    sim_lock();
    struct sim_external *external = sim_object_of(extMem, SIM_KIND_EXTERNAL);
    if (external) {
        sim_object_remove(&external->object);
        free(external);
    }
    sim_unlock();
    return external ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
