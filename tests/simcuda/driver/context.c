// The life of contexts. What a destroyed one owned is freed with it; the record itself stays, so that a thread that
// still has it current gets the right error.
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/array.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/event.h"
#include "tests/simcuda/driver/linear.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/module.h"
#include "tests/simcuda/driver/stream.h"
#include "tests/simcuda/driver/tools.h"
#include <stdlib.h>

enum { MAX_DEPTH = 64 };

struct made {
    struct sim_context context;
    struct made *next;
};

static struct made *all_made; // by cuCtxCreate, the destroyed ones too
static uint32_t next_uid = 1;
static _Thread_local struct sim_context *stack[MAX_DEPTH];
static _Thread_local int depth;

struct sim_context *sim_context_current(void) {
    return depth ? stack[depth - 1] : NULL;
}

CUresult sim_context_check_current(void) {
    struct sim_context *context = sim_context_current();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    return atomic_load_explicit(&context->alive, memory_order_acquire) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// Any context ever made, or NULL.
static struct sim_context *known(CUcontext handle) {
    for (int i = 0; i < sim_device_count(); i++)
        if ((CUcontext)&sim_device(i)->primary == handle) return &sim_device(i)->primary;
    for (struct made *made = all_made; made; made = made->next)
        if ((CUcontext)&made->context == handle) return &made->context;
    return NULL;
}

struct sim_context *sim_context_of(CUcontext handle) {
    struct sim_context *context = known(handle);
    return context && atomic_load(&context->alive) ? context : NULL;
}

bool sim_context_identify(CUcontext handle, uint32_t *uid, uint32_t *device) {
    sim_lock();
    struct sim_context *context = handle ? known(handle) : sim_context_current();
    if (context && uid) *uid = context->uid;
    if (context && device) *device = (uint32_t)context->device->ordinal;
    sim_unlock();
    return context;
}

CUresult sim_context_grow(struct sim_context *context, uint64_t bytes) {
    CUresult result = sim_device_take(context->device, bytes);
    if (result == CUDA_SUCCESS) context->bytes += bytes;
    return result;
}

CUresult sim_context_start(struct sim_context *context, struct sim_device *device, uint64_t bytes, unsigned flags) {
    context->device = device;
    context->bytes = 0;
    CUresult result = sim_context_grow(context, bytes);
    if (result != CUDA_SUCCESS) return result;
    context->flags = flags;
    context->uid = next_uid++;
    context->id = context->uid;
    context->local_bytes = 1024;
    context->has_streams = false;
    context->peers = 0;
    context->cache_config = CU_FUNC_CACHE_PREFER_NONE;
    context->limits[CU_LIMIT_STACK_SIZE] = 1024;
    context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 8 * SIM_MIB;
    context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 * SIM_MIB;
    context->limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
    context->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
    context->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    atomic_store_explicit(&context->alive, true, memory_order_release);
    return CUDA_SUCCESS;
}

void sim_context_end(struct sim_context *context) {
    atomic_store(&context->alive, false);
    sim_streams_end(context);
    sim_events_end(context);
    sim_arrays_end(context);
    sim_modules_end(context);
    sim_linear_end(context);
    sim_host_end(context);
    sim_device_give(context->device, context->bytes);
    context->bytes = 0;
}

static CUresult push(struct sim_context *context) {
    if (depth == MAX_DEPTH) return CUDA_ERROR_OUT_OF_MEMORY;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult sim_context_new(CUcontext *result, unsigned flags, CUdevice ordinal, void *green) {
    struct sim_device *device = sim_device(ordinal);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    struct made *made = calloc(1, sizeof(*made));
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    sim_lock();
    CUresult status = sim_context_start(&made->context, device, green ? 0 : SIM_CONTEXT_BYTES, flags);
    if (status == CUDA_SUCCESS) {
        made->context.green = green;
        made->next = all_made;
        all_made = made;
    }
    sim_unlock();
    if (status != CUDA_SUCCESS) {
        free(made);
        return status;
    }
    *result = (CUcontext)&made->context;
    sim_tools_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, *result, NULL);
    return CUDA_SUCCESS;
}

static CUresult create(CUcontext *pctx, unsigned flags, CUdevice dev) {
    if (!pctx || flags & ~(unsigned)CU_CTX_FLAGS_MASK) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = sim_context_new(pctx, flags, dev, NULL);
    return result == CUDA_SUCCESS ? push((struct sim_context *)*pctx) : result;
}

CUresult sim_cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev) {
    CUresult result = create(pctx, flags, dev);
    if (result == CUDA_SUCCESS) ((struct sim_context *)*pctx)->old_api = true;
    return result;
}

CUresult sim_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
    return create(pctx, flags, dev);
}

CUresult sim_cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags,
                            CUdevice dev) {
    return paramsArray || numParams ? CUDA_ERROR_NOT_SUPPORTED : create(pctx, flags, dev);
}

CUresult sim_cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev) {
    if (ctxCreateParams && ctxCreateParams->numExecAffinityParams) return CUDA_ERROR_NOT_SUPPORTED;
    return create(pctx, flags, dev);
}

CUresult sim_cuCtxDestroy_v2(CUcontext ctx) {
    sim_lock();
    struct sim_context *context = sim_context_of(ctx);
    if (context && context->primary) context = NULL;
    sim_unlock();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    sim_tools_resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, ctx, NULL);
    sim_lock();
    sim_context_end(context);
    sim_unlock();
    if (sim_context_current() == context) depth--;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxDestroy(CUcontext ctx) {
    return sim_cuCtxDestroy_v2(ctx);
}

CUresult sim_cuCtxAttach(CUcontext *pctx, unsigned int flags) {
    if (!pctx || flags) return CUDA_ERROR_INVALID_VALUE;
    struct sim_context *context = sim_context_current();
    sim_lock();
    context->attached++;
    sim_unlock();
    *pctx = (CUcontext)context;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxDetach(CUcontext ctx) {
    struct sim_context *context = sim_context_current();
    if ((CUcontext)context != ctx || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    sim_lock();
    bool last = context->attached == 0;
    if (!last) context->attached--;
    sim_unlock();
    return last ? sim_cuCtxDestroy_v2(ctx) : CUDA_SUCCESS;
}

CUresult sim_cuCtxPushCurrent_v2(CUcontext ctx) {
    sim_lock();
    struct sim_context *context = sim_context_of(ctx);
    sim_unlock();
    return context ? push(context) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult sim_cuCtxPushCurrent(CUcontext ctx) {
    return sim_cuCtxPushCurrent_v2(ctx);
}

CUresult sim_cuCtxPopCurrent_v2(CUcontext *pctx) {
    if (!depth) return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (pctx) *pctx = (CUcontext)stack[depth];
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxPopCurrent(CUcontext *pctx) {
    return sim_cuCtxPopCurrent_v2(pctx);
}

CUresult sim_cuCtxSetCurrent(CUcontext ctx) {
    if (!ctx) {
        if (depth) depth--;
        return CUDA_SUCCESS;
    }
    sim_lock();
    struct sim_context *context = sim_context_of(ctx);
    sim_unlock();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (depth) depth--;
    return push(context);
}

CUresult sim_cuCtxGetCurrent(CUcontext *pctx) {
    if (!pctx) return CUDA_ERROR_INVALID_VALUE;
    *pctx = (CUcontext)sim_context_current();
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxResetPersistingL2Cache(void) {
    return CUDA_SUCCESS;
}
