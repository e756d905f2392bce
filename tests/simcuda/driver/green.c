// Green contexts: contexts on a part of a device's multiprocessors. They hold on to the primary context, which owns
// what is allocated in them.
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/handles.h"
#include "tests/simcuda/driver/stream.h"
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_PART = 8 }; // multiprocessors

struct sim_green {
    struct sim_object object;
    CUcontext context;
    CUdevResource resource;
    int device;
};

static void whole_device(CUdevResource *resource) {
    memset(resource, 0, sizeof(*resource));
    resource->type = CU_DEV_RESOURCE_TYPE_SM;
    resource->sm.smCount = SIM_MULTIPROCESSORS;
    resource->sm.minSmPartitionSize = SMALLEST_PART;
    resource->sm.smCoscheduledAlignment = SMALLEST_PART;
}

CUresult sim_cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type) {
    if (!sim_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!resource || type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_VALUE;
    whole_device(resource);
    return CUDA_SUCCESS;
}

static struct sim_green *green_of(CUgreenCtx handle) {
    return sim_object_of(handle, SIM_KIND_GREEN);
}

CUresult sim_cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource, CUdevResourceType type) {
    if (!resource || type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_green *green = green_of(hCtx);
    if (green) *resource = green->resource;
    sim_unlock();
    return green ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult sim_cuCtxGetDevResource(CUcontext hCtx, CUdevResource *resource, CUdevResourceType type) {
    sim_lock();
    const struct sim_context *context = sim_context_of(hCtx);
    sim_unlock();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    return context->green ? sim_cuGreenCtxGetDevResource(context->green, resource, type)
                          : sim_cuDeviceGetDevResource(context->device->ordinal, resource, type);
}

CUresult sim_cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups, const CUdevResource *input,
                                         CUdevResource *remaining, unsigned int useFlags, unsigned int minCount) {
    (void)useFlags;
    if (!nbGroups || !input || input->type != CU_DEV_RESOURCE_TYPE_SM || minCount > input->sm.smCount)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned each = (unsigned)sim_round_up(minCount ? minCount : 1, SMALLEST_PART), most = input->sm.smCount / each;
    if (!result) {
        *nbGroups = most;
        return CUDA_SUCCESS;
    }
    if (*nbGroups > most) *nbGroups = most;
    for (unsigned i = 0; i < *nbGroups; i++) {
        result[i] = *input;
        result[i].sm.smCount = each;
    }
    if (remaining) {
        *remaining = *input;
        remaining->sm.smCount = input->sm.smCount - *nbGroups * each;
    }
    return CUDA_SUCCESS;
}

// A descriptor is a copy of the resource; it stays, since there is no call that ends it.
struct descriptor {
    CUdevResource resource;
    struct descriptor *previous;
};

static struct descriptor *last_descriptor;

CUresult sim_cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources, unsigned int nbResources) {
    if (!phDesc || !resources || nbResources != 1 || resources->type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_VALUE;
    struct descriptor *copy = malloc(sizeof(*copy));
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    copy->resource = *resources;
    sim_lock();
    copy->previous = last_descriptor;
    last_descriptor = copy;
    sim_unlock();
    *phDesc = (CUdevResourceDesc)copy;
    return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev, unsigned int flags) {
    CUcontext primary;
    if (!phCtx || !desc || flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = sim_cuDevicePrimaryCtxRetain(&primary, dev);
    if (result != CUDA_SUCCESS) return result;
    struct sim_green *green = calloc(1, sizeof(*green));
    result = green ? sim_context_new(&green->context, 0, dev, green) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS) {
        free(green);
        sim_cuDevicePrimaryCtxRelease_v2(dev);
        return result;
    }
    green->resource = ((const struct descriptor *)desc)->resource;
    green->device = dev;
    sim_lock();
    sim_object_add(&green->object, SIM_KIND_GREEN, NULL);
    sim_unlock();
    *phCtx = (CUgreenCtx)green;
    return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxDestroy(CUgreenCtx hCtx) {
    sim_lock();
    struct sim_green *green = green_of(hCtx);
    if (green) sim_object_remove(&green->object);
    sim_unlock();
    if (!green) return CUDA_ERROR_INVALID_CONTEXT;
    sim_cuCtxDestroy_v2(green->context);
    sim_cuDevicePrimaryCtxRelease_v2(green->device);
    free(green);
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx) {
    if (!pContext) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_green *green = green_of(hCtx);
    if (green) *pContext = green->context;
    sim_unlock();
    return green ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult sim_cuGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags, int priority) {
    CUcontext context;
    if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = sim_cuCtxFromGreenCtx(&context, greenCtx);
    return result == CUDA_SUCCESS ? sim_stream_new(phStream, (struct sim_context *)context, flags, priority, greenCtx)
                                  : result;
}

CUresult sim_cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx *phCtx) {
    if (!phCtx) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_stream *stream = sim_stream_of(hStream);
    *phCtx = stream ? stream->green : NULL;
    sim_unlock();
    return CUDA_SUCCESS;
}
