// The entry points of streams.
#include "tests/simcuda/driver/stream.h"
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/event.h"
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/tools.h"
#include "tests/simcuda/driver/work.h"
#include <stdlib.h>
#include <string.h>

// The first ids are the default streams'.
enum { LEGACY_ID = 1, PER_THREAD_ID = 2, FIRST_ID = 13 };
static uint64_t next_id = FIRST_ID;

static bool is_default(CUstream handle) {
    return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

struct sim_stream *sim_stream_of(CUstream handle) {
    return is_default(handle) ? NULL : sim_object_of(handle, SIM_KIND_STREAM);
}

struct sim_device *sim_stream_device(CUstream handle) {
    if (is_default(handle)) return sim_context_current()->device;
    struct sim_stream *stream = sim_stream_of(handle);
    return stream ? stream->object.context->device : NULL;
}

CUresult sim_stream_new(CUstream *result, struct sim_context *context, unsigned flags, int priority, void *green) {
    if (!result || flags & ~(unsigned)CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    struct sim_stream *stream = calloc(1, sizeof(*stream));
    if (!stream) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult status = CUDA_SUCCESS;
    sim_lock();
    if (!context->has_streams) status = sim_context_grow(context, SIM_GRANULE);
    if (status == CUDA_SUCCESS) {
        context->has_streams = true;
        *stream = (struct sim_stream){.id = next_id++, .flags = flags, .green = green};
        stream->sync_policy = CU_SYNC_POLICY_AUTO;
        stream->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
        sim_object_add(&stream->object, SIM_KIND_STREAM, context);
    }
    sim_unlock();
    if (status != CUDA_SUCCESS) {
        free(stream);
        return status;
    }
    *result = (CUstream)stream;
    sim_tools_resource(CUPTI_CBID_RESOURCE_STREAM_CREATED, (CUcontext)context, *result);
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
    return sim_stream_new(phStream, sim_context_current(), flags, priority, NULL);
}

CUresult sim_cuStreamCreate(CUstream *phStream, unsigned int Flags) {
    return sim_cuStreamCreateWithPriority(phStream, Flags, 0);
}

static void end_stream(struct sim_stream *stream) {
    sim_capture_abandon(stream);
    sim_object_remove(&stream->object);
    free(stream);
}

CUresult sim_cuStreamDestroy_v2(CUstream hStream) {
    sim_lock();
    struct sim_stream *stream = sim_stream_of(hStream);
    struct sim_context *context = stream ? stream->object.context : NULL;
    sim_unlock();
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    sim_tools_resource(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, (CUcontext)context, hStream);
    sim_lock();
    if ((stream = sim_stream_of(hStream))) end_stream(stream);
    sim_unlock();
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamDestroy(CUstream hStream) {
    return sim_cuStreamDestroy_v2(hStream);
}

void sim_streams_end(struct sim_context *context) {
    for (struct sim_stream *stream; (stream = sim_object_owned(SIM_KIND_STREAM, context));) end_stream(stream);
}

bool sim_stream_identify(CUcontext context, CUstream handle, bool per_thread, uint32_t *id) {
    (void)context;
    sim_lock();
    struct sim_stream *stream = sim_stream_of(handle);
    bool found = stream || is_default(handle);
    if (stream)
        *id = (uint32_t)stream->id;
    else if (found)
        *id = handle == CU_STREAM_PER_THREAD || (!handle && per_thread) ? PER_THREAD_ID : LEGACY_ID;
    sim_unlock();
    return found;
}

// What a stream is, copied out under the lock. The default streams have none of the options.
static CUresult describe(CUstream handle, struct sim_stream *copy, struct sim_context **context) {
    sim_lock();
    struct sim_stream *stream = sim_stream_of(handle);
    bool found = stream || is_default(handle);
    if (stream) {
        *copy = *stream;
        *context = stream->object.context;
    } else if (found) {
        *copy = (struct sim_stream){.id = handle == CU_STREAM_PER_THREAD ? PER_THREAD_ID : LEGACY_ID};
        *context = sim_context_current();
    }
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

// Sets *out to what `value` says of the stream.
#define DESCRIBE(out, value)                                                                                           \
    struct sim_stream stream;                                                                                          \
    struct sim_context *context;                                                                                       \
    if (!(out)) return CUDA_ERROR_INVALID_VALUE;                                                                       \
    CUresult result = describe(hStream, &stream, &context);                                                            \
    if (result == CUDA_SUCCESS) *(out) = (value);                                                                      \
    return result;

CUresult sim_cuStreamGetPriority(CUstream hStream, int *priority){DESCRIBE(priority, stream.priority)}

CUresult sim_cuStreamGetDevice(CUstream hStream, CUdevice *device){DESCRIBE(device, context->device->ordinal)}

CUresult sim_cuStreamGetFlags(CUstream hStream, unsigned int *flags){DESCRIBE(flags, stream.flags)}

CUresult sim_cuStreamGetId(CUstream hStream, unsigned long long *streamId){DESCRIBE(streamId, stream.id)}

CUresult sim_cuStreamGetCtx(CUstream hStream, CUcontext *pctx){DESCRIBE(pctx, (CUcontext)context)}

CUresult sim_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value) {
    struct sim_stream stream;
    struct sim_context *context;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = describe(hStream, &stream, &context);
    memset(value, 0, sizeof(*value));
    if (attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
        value->syncPolicy = stream.sync_policy;
    else if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value->priority = stream.priority;
    return result;
}

CUresult sim_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param) {
    if (!param) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_stream *stream = sim_stream_of(hStream);
    if (stream && attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
        stream->sync_policy = param->syncPolicy;
    else if (stream && attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        stream->priority = param->priority;
    bool found = stream || is_default(hStream);
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuStreamCopyAttributes(CUstream dstStream, CUstream srcStream) {
    sim_lock();
    struct sim_stream *to = sim_stream_of(dstStream), *from = sim_stream_of(srcStream);
    if (to && from) {
        to->sync_policy = from->sync_policy;
        to->priority = from->priority;
    }
    sim_unlock();
    return to && from ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags) {
    (void)length;
    (void)flags;
    sim_lock();
    bool found = sim_stream_device(hStream);
    sim_unlock();
    if (!found) return CUDA_ERROR_INVALID_HANDLE;
    return dptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_synchronize(struct sim_context *context) {
    sim_lock();
    CUresult result = sim_capture_forbids_synchronizing();
    if (result == CUDA_SUCCESS) sim_pools_settle(context->device);
    sim_unlock();
    return result;
}

CUresult sim_cuStreamSynchronize(CUstream hStream) {
    sim_lock();
    struct sim_device *device = sim_stream_device(hStream);
    CUresult result = device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && sim_capturing(hStream)) result = sim_capture_invalidate(sim_stream_of(hStream));
    if (result == CUDA_SUCCESS) sim_pools_settle(device);
    sim_unlock();
    return result;
}

CUresult sim_cuStreamQuery(CUstream hStream) {
    sim_lock();
    CUresult result = sim_stream_device(hStream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && sim_capturing(hStream)) result = sim_capture_invalidate(sim_stream_of(hStream));
    sim_unlock();
    return result;
}

CUresult sim_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
    if (!fn) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_HOST, .host = {.function = fn, .data = userData}};
    return sim_submit(hStream, &work);
}

CUresult sim_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags) {
    if (!callback || flags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    CUresult result = sim_stream_device(hStream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && sim_capturing(hStream)) result = sim_capture_invalidate(sim_stream_of(hStream));
    sim_unlock();
    if (result == CUDA_SUCCESS) callback(hStream, CUDA_SUCCESS, userData);
    return result;
}
