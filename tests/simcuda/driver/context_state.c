// What a program asks of the current context: its device, limits, synchronisation, peers.
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/stream.h"

// The context of a handle, or the current one for NULL; without the lock, to read what never changes.
static struct sim_context *chosen(CUcontext ctx) {
    if (!ctx) return sim_context_check_current() == CUDA_SUCCESS ? sim_context_current() : NULL;
    sim_lock();
    struct sim_context *context = sim_context_of(ctx);
    sim_unlock();
    return context;
}

CUresult sim_cuCtxGetDevice(CUdevice *device) {
    return sim_cuCtxGetDevice_v2(device, NULL);
}

CUresult sim_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
    struct sim_context *context = chosen(ctx);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = context->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetFlags(unsigned int *flags) {
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = sim_context_current()->flags;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
    struct sim_context *context = chosen(ctx);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!ctxId) return CUDA_ERROR_INVALID_VALUE;
    *ctxId = context->id;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxSynchronize(void) {
    return sim_cuCtxSynchronize_v2(NULL);
}

CUresult sim_cuCtxSynchronize_v2(CUcontext ctx) {
    struct sim_context *context = chosen(ctx);
    return context ? sim_synchronize(context) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult sim_cuCtxSetLimit(CUlimit limit, size_t value) {
    if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    struct sim_context *context = sim_context_current();
    sim_lock();
    CUresult result = CUDA_SUCCESS;
    // The buffers of printf and malloc in kernels are allocated again when they grow past what a context starts with.
    bool buffer = limit == CU_LIMIT_PRINTF_FIFO_SIZE || limit == CU_LIMIT_MALLOC_HEAP_SIZE;
    if (buffer && value > context->limits[limit]) {
        uint64_t before = sim_round_up(context->limits[limit], SIM_GRANULE), after = sim_round_up(value, SIM_GRANULE);
        result = sim_context_grow(context, after - before);
    } else if (limit == CU_LIMIT_STACK_SIZE) {
        result = sim_context_provide_local(context, value);
    }
    if (result == CUDA_SUCCESS) context->limits[limit] = value;
    sim_unlock();
    return result;
}

CUresult sim_cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
    if (!pvalue) return CUDA_ERROR_INVALID_VALUE;
    if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *pvalue = sim_context_current()->limits[limit];
    return CUDA_SUCCESS;
}

CUresult sim_context_provide_local(struct sim_context *context, uint64_t bytes_a_thread) {
    if (bytes_a_thread <= context->local_bytes) return CUDA_SUCCESS;
    uint64_t threads = SIM_MULTIPROCESSORS * SIM_THREADS_PER_MULTIPROCESSOR;
    CUresult result = sim_context_grow(context, (bytes_a_thread - context->local_bytes) * threads);
    if (result == CUDA_SUCCESS) context->local_bytes = bytes_a_thread;
    return result;
}

CUresult sim_cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
    if (!pconfig) return CUDA_ERROR_INVALID_VALUE;
    *pconfig = sim_context_current()->cache_config;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetCacheConfig(CUfunc_cache config) {
    sim_context_current()->cache_config = config;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
    struct sim_context *context = chosen(ctx);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = context->old_api ? 3010 : 3020;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    if (leastPriority) *leastPriority = 0;
    if (greatestPriority) *greatestPriority = -5;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
    struct sim_context *peer = chosen(peerContext), *context = sim_context_current();
    if (!peer || !peerContext) return CUDA_ERROR_INVALID_CONTEXT;
    if (Flags) return CUDA_ERROR_INVALID_VALUE;
    if (peer->device == context->device) return CUDA_ERROR_INVALID_DEVICE;
    uint32_t bit = 1u << peer->device->ordinal;
    sim_lock();
    bool had = context->peers & bit;
    context->peers |= bit;
    sim_unlock();
    return had ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult sim_cuCtxDisablePeerAccess(CUcontext peerContext) {
    struct sim_context *peer = chosen(peerContext), *context = sim_context_current();
    if (!peer || !peerContext) return CUDA_ERROR_INVALID_CONTEXT;
    uint32_t bit = 1u << peer->device->ordinal;
    sim_lock();
    bool had = context->peers & bit;
    context->peers &= ~bit;
    sim_unlock();
    return had ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
