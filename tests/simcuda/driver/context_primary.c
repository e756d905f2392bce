// Each device's primary context: made at the first retain, gone with the last release or at a reset.
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/graph_memory.h"
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/tools.h"

CUresult sim_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
    struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    if (!pctx) return CUDA_ERROR_INVALID_VALUE;
    struct sim_context *context = &device->primary;
    CUresult result = CUDA_SUCCESS;
    sim_lock();
    bool starts = !atomic_load(&context->alive);
    context->primary = true;
    if (starts) result = sim_context_start(context, device, SIM_PRIMARY_CONTEXT_BYTES, context->flags);
    if (result == CUDA_SUCCESS) context->retained++;
    sim_unlock();
    if (result != CUDA_SUCCESS) return result;
    *pctx = (CUcontext)context;
    if (starts) sim_tools_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, *pctx, NULL);
    return CUDA_SUCCESS;
}

// The end of the primary context takes the device's pools' and graphs' memory with it. Needs the lock.
static void end(struct sim_device *device) {
    sim_pools_end(device);
    sim_graph_memory_end(device);
    sim_context_end(&device->primary);
    device->primary.retained = 0;
}

static CUresult release(CUdevice dev, bool all) {
    struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    struct sim_context *context = &device->primary;
    sim_lock();
    bool alive = atomic_load(&context->alive);
    bool ends = alive && (all || context->retained == 1);
    if (alive && !ends) context->retained--;
    sim_unlock();
    if (!alive) return all ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    if (!ends) return CUDA_SUCCESS;
    sim_tools_resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, (CUcontext)context, NULL);
    sim_lock();
    end(device);
    sim_unlock();
    return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
    return release(dev, false);
}

CUresult sim_cuDevicePrimaryCtxRelease(CUdevice dev) {
    return release(dev, false);
}

CUresult sim_cuDevicePrimaryCtxReset_v2(CUdevice dev) {
    return release(dev, true);
}

CUresult sim_cuDevicePrimaryCtxReset(CUdevice dev) {
    return release(dev, true);
}

CUresult sim_cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
    struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    device->primary.flags = flags;
    sim_unlock();
    return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
    return sim_cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult sim_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
    struct sim_device *device = sim_device(dev);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    *flags = device->primary.flags;
    *active = atomic_load(&device->primary.alive);
    sim_unlock();
    return CUDA_SUCCESS;
}
