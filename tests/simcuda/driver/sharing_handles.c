// Exporting and importing: physical memory and pools through file descriptors, cuMemAlloc's memory and events through
// IPC handles.
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/event.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/sharing.h"
#include "tests/simcuda/driver/virtual.h"
#include <string.h>
#include <unistd.h>

static CUresult hand_out(void *handle, const struct sim_ticket *ticket) {
    int fd = sim_ticket_to_fd(ticket);
    if (fd < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    memcpy(handle, &fd, sizeof(fd));
    return CUDA_SUCCESS;
}

CUresult sim_cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                          CUmemAllocationHandleType handleType, unsigned long long flags) {
    if (!shareableHandle || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_ticket ticket;
    sim_lock();
    const struct sim_physical *physical = sim_physical_of(handle);
    bool may = physical && physical->properties.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (may) ticket = sim_ticket_new(SIM_TICKET_PHYSICAL, physical->device, physical->id, 0, physical->bytes);
    sim_unlock();
    return may ? hand_out(shareableHandle, &ticket) : CUDA_ERROR_INVALID_VALUE;
}

// What a process imports of its own is one more reference to it.
CUresult sim_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                            CUmemAllocationHandleType shHandleType) {
    struct sim_ticket ticket;
    if (!handle || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !sim_ticket_from_fd((int)(intptr_t)osHandle, &ticket) || !sim_ticket_is(&ticket, SIM_TICKET_PHYSICAL))
        return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_physical *physical = ticket.process == getpid() ? sim_physical_by_id(ticket.id) : NULL;
    if (physical) {
        physical->references++;
    } else if (ticket.process != getpid()) {
        CUmemAllocationProp properties = {
            .type = CU_MEM_ALLOCATION_TYPE_PINNED,
            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = sim_ticket_device(&ticket)->ordinal}};
        physical = sim_physical_new(&properties, ticket.bytes, -1);
    }
    sim_unlock();
    *handle = (CUmemGenericAllocationHandle)physical;
    return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType,
                                              unsigned long long flags) {
    if (!handle_out || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags) return CUDA_ERROR_INVALID_VALUE;
    struct sim_ticket ticket;
    sim_lock();
    const struct sim_pool *found = sim_pool_of(pool);
    bool may = found && !found->imported && found->properties.handleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (may) ticket = sim_ticket_new(SIM_TICKET_POOL, found->device->ordinal, (uint64_t)found, 0, 0);
    sim_unlock();
    return may ? hand_out(handle_out, &ticket) : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                                CUmemAllocationHandleType handleType, unsigned long long flags) {
    struct sim_ticket ticket;
    if (!pool_out || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags ||
        !sim_ticket_from_fd((int)(intptr_t)handle, &ticket) || !sim_ticket_is(&ticket, SIM_TICKET_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_device *device = sim_ticket_device(&ticket);
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->ordinal}};
    struct sim_pool *pool = sim_pool_new(device, &properties);
    if (pool) pool->imported = true;
    sim_unlock();
    *pool_out = (CUmemoryPool)pool;
    return pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr) {
    if (!shareData_out) return CUDA_ERROR_INVALID_VALUE;
    struct sim_ticket ticket;
    sim_lock();
    const struct sim_range *range = sim_memory_at(ptr, SIM_POOLED);
    if (range) ticket = sim_ticket_new(SIM_TICKET_POOLED, range->device, range->id, range->start, range->requested);
    sim_unlock();
    if (!range) return CUDA_ERROR_INVALID_VALUE;
    memset(shareData_out, 0, sizeof(*shareData_out));
    memcpy(shareData_out, &ticket, sizeof(ticket));
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData) {
    struct sim_ticket ticket;
    if (!ptr_out || !shareData) return CUDA_ERROR_INVALID_VALUE;
    memcpy(&ticket, shareData, sizeof(ticket));
    sim_lock();
    struct sim_pool *found = sim_pool_of(pool);
    struct sim_range *range;
    bool valid = found && found->imported && sim_ticket_is(&ticket, SIM_TICKET_POOLED);
    CUresult result = valid ? sim_pool_take(found, ticket.bytes, &range) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *ptr_out = range->start;
    sim_unlock();
    return result;
}

CUresult sim_cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
    if (!pHandle) return CUDA_ERROR_INVALID_VALUE;
    struct sim_ticket ticket;
    sim_lock();
    const struct sim_range *range = sim_memory_find(dptr);
    bool may = range && range->use == SIM_LINEAR;
    if (may) ticket = sim_ticket_new(SIM_TICKET_LINEAR, range->device, range->id, range->start, range->requested);
    sim_unlock();
    if (!may) return CUDA_ERROR_INVALID_VALUE;
    memset(pHandle, 0, sizeof(*pHandle));
    memcpy(pHandle, &ticket, sizeof(ticket));
    return CUDA_SUCCESS;
}

// A process can't open its own memory.
CUresult sim_cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
    struct sim_ticket ticket;
    memcpy(&ticket, &handle, sizeof(ticket));
    if (!pdptr || Flags & ~(unsigned)CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS || !sim_ticket_is(&ticket, SIM_TICKET_LINEAR))
        return CUDA_ERROR_INVALID_VALUE;
    if (ticket.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
    sim_lock();
    struct sim_range *range;
    CUresult result = sim_imported_take(ticket.bytes, sim_ticket_device(&ticket)->ordinal, &range);
    if (result == CUDA_SUCCESS) *pdptr = range->start;
    sim_unlock();
    return result;
}

CUresult sim_cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
    return sim_cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult sim_cuIpcCloseMemHandle(CUdeviceptr dptr) {
    sim_lock();
    struct sim_range *range = sim_imported_find(dptr);
    bool opened = range && range->start == dptr && !range->owner;
    if (opened) sim_imported_give(range);
    sim_unlock();
    return opened ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event) {
    if (!pHandle) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_event *found = sim_event_of(event);
    bool may = found && found->flags & CU_EVENT_INTERPROCESS;
    sim_unlock();
    if (!may) return CUDA_ERROR_INVALID_HANDLE;
    struct sim_ticket ticket = sim_ticket_new(SIM_TICKET_EVENT, -1, (uint64_t)event, 0, 0);
    memset(pHandle, 0, sizeof(*pHandle));
    memcpy(pHandle, &ticket, sizeof(ticket));
    return CUDA_SUCCESS;
}

CUresult sim_cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle) {
    struct sim_ticket ticket;
    memcpy(&ticket, &handle, sizeof(ticket));
    if (!phEvent || !sim_ticket_is(&ticket, SIM_TICKET_EVENT)) return CUDA_ERROR_INVALID_VALUE;
    return sim_cuEventCreate(phEvent, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
}
