// Host memory that the device can reach: pinned allocations, and memory the program registered.
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/layout.h"
#include "tests/simcuda/driver/memory.h"

#define ALL_ADDRESSES (UINT64_C(1) << 47)

static struct sim_space host, registered;

struct sim_range *sim_host_find(uint64_t address) {
    struct sim_range *range = sim_space_find(&host, address);
    return range ? range : sim_space_find(&registered, address);
}

static CUresult allocate_host(void **pp, uint64_t bytes, unsigned flags) {
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (!pp || !bytes || flags & ~known) return CUDA_ERROR_INVALID_VALUE;
    struct sim_range *range = NULL;
    sim_lock();
    CUresult result = sim_capture_forbids_unsafe();
    if (result == CUDA_SUCCESS)
        result = sim_layout_take(SIM_REGION_HOST, &host, bytes, &range) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS) {
        sim_range_describe(range, SIM_HOST, bytes, -1, sim_context_current());
        range->flags = flags;
        *pp = (void *)range->start;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
    return allocate_host(pp, bytesize, Flags);
}

CUresult sim_cuMemAllocHost_v2(void **pp, size_t bytesize) {
    return allocate_host(pp, bytesize, 0);
}

CUresult sim_cuMemAllocHost(void **pp, unsigned int bytesize) {
    return allocate_host(pp, bytesize, 0);
}

static void give_host(struct sim_range *range) {
    sim_range_forget_contents(range);
    sim_space_give(&host, range);
}

void sim_host_end(struct sim_context *context) {
    uint64_t address = 0;
    for (struct sim_range *range; (range = sim_space_next(&host, address));) {
        address = range->start + range->bytes;
        if (range->context == context) give_host(range);
    }
    sim_managed_end(context);
}

CUresult sim_cuMemFreeHost(void *p) {
    sim_lock();
    CUresult result = sim_capture_forbids_unsafe();
    struct sim_range *range = sim_space_find(&host, (uint64_t)p);
    if (result == CUDA_SUCCESS && (!range || range->start != (uint64_t)p)) result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) give_host(range);
    sim_unlock();
    return result;
}

CUresult sim_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags) {
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                           CU_MEMHOSTREGISTER_READ_ONLY;
    uint64_t start = (uint64_t)p;
    if (!p || !bytesize || Flags & ~known || bytesize > ALL_ADDRESSES - start) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    if (registered.root || !sim_space_add(&registered, 1, ALL_ADDRESSES)) {
        struct sim_range *range = sim_space_find(&host, start) ? NULL : sim_space_take_at(&registered, start, bytesize);
        result = range ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
        if (range) {
            sim_range_describe(range, SIM_HOST, bytesize, -1, sim_context_current());
            range->flags = Flags;
        }
    }
    sim_unlock();
    return result;
}

CUresult sim_cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags) {
    return sim_cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult sim_cuMemHostUnregister(void *p) {
    sim_lock();
    struct sim_range *range = sim_space_find(&registered, (uint64_t)p);
    bool found = range && range->start == (uint64_t)p;
    if (found) sim_space_give(&registered, range);
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult sim_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
    if (!pdptr || Flags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    bool pinned = sim_host_find((uint64_t)p);
    sim_unlock();
    if (pinned) *pdptr = (CUdeviceptr)p;
    return pinned ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemHostGetFlags(unsigned int *pFlags, void *p) {
    if (!pFlags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_range *range = sim_host_find((uint64_t)p);
    if (range) *pFlags = range->flags;
    sim_unlock();
    return range ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
