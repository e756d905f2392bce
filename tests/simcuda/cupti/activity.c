// The activity part of the simulated libcupti: identities and time are real, activity kinds can be switched, but
// nothing produces records, as on a device that has nothing to report.
#include "tests/simcuda/cupti/library.h"
#include <cupti.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT CUptiResult cuptiGetTimestamp(uint64_t *timestamp) {
    if (!timestamp) return CUPTI_ERROR_INVALID_PARAMETER;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *timestamp = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetContextId(CUcontext context, uint32_t *contextId) {
    const struct simcuda_bridge *bridge = sim_cupti_bridge();
    if (!contextId) return CUPTI_ERROR_INVALID_PARAMETER;
    return bridge && bridge->context_uid(context, contextId) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

EXPORT CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *deviceId) {
    const struct simcuda_bridge *bridge = sim_cupti_bridge();
    if (!deviceId) return CUPTI_ERROR_INVALID_PARAMETER;
    return bridge && bridge->context_device(context, deviceId) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

EXPORT CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThreadStream, uint32_t *streamId) {
    const struct simcuda_bridge *bridge = sim_cupti_bridge();
    if (!streamId) return CUPTI_ERROR_INVALID_PARAMETER;
    return bridge && bridge->stream_id(context, stream, perThreadStream, streamId) ? CUPTI_SUCCESS
                                                                                   : CUPTI_ERROR_INVALID_STREAM;
}

EXPORT CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *streamId) {
    return cuptiGetStreamIdEx(context, stream, 0, streamId);
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    (void)kind;
    if (sim_cupti_fails()) {
        sim_cupti_bridge()->fail(CUPTI_ERROR_HARDWARE, "a fatal error, by SIMCUDA_CUPTI=fatal");
        return CUPTI_ERROR_HARDWARE;
    }
    return sim_cupti_refusal();
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    (void)kind;
    return sim_cupti_refusal();
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                                  CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
    return funcBufferRequested && funcBufferCompleted ? sim_cupti_refusal() : CUPTI_ERROR_INVALID_PARAMETER;
}

EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    (void)flag;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityFlushPeriod(uint32_t time) {
    (void)time;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes, CUpti_Activity **record) {
    (void)validBufferSizeBytes;
    return buffer && record ? CUPTI_ERROR_MAX_LIMIT_REACHED : CUPTI_ERROR_INVALID_PARAMETER;
}

EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t streamId, size_t *dropped) {
    (void)context;
    (void)streamId;
    if (!dropped) return CUPTI_ERROR_INVALID_PARAMETER;
    *dropped = 0;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
    (void)kind;
    (void)id;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *lastId) {
    (void)kind;
    if (lastId) *lastId = 0;
    return CUPTI_SUCCESS;
}
