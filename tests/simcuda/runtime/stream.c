// Streams and events: the driver's, under the runtime's names.
#include "tests/simcuda/runtime/runtime.h"

cudaError_t rt_cudaStreamCreate(cudaStream_t *pStream) {
    return rt_error(rt_driver()->cuStreamCreate(pStream, 0));
}

cudaError_t rt_cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
    return rt_error(rt_driver()->cuStreamCreate(pStream, flags));
}

cudaError_t rt_cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority) {
    return rt_error(rt_driver()->cuStreamCreateWithPriority(pStream, flags, priority));
}

cudaError_t rt_cudaStreamDestroy(cudaStream_t stream) {
    return rt_error(rt_driver()->cuStreamDestroy(stream));
}

cudaError_t rt_cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
    return rt_error(rt_driver()->cuStreamGetPriority(hStream, priority));
}

cudaError_t rt_cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags) {
    return rt_error(rt_driver()->cuStreamGetFlags(hStream, flags));
}

cudaError_t rt_cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId) {
    return rt_error(rt_driver()->cuStreamGetId(hStream, streamId));
}

cudaError_t rt_cudaStreamGetDevice(cudaStream_t hStream, int *device) {
    return rt_error(rt_driver()->cuStreamGetDevice(hStream, device));
}

cudaError_t rt_cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    return rt_error(rt_driver()->cuStreamCopyAttributes(dst, src));
}

cudaError_t rt_cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                      cudaLaunchAttributeValue *value) {
    return rt_error(rt_driver()->cuStreamGetAttribute(hStream, (CUstreamAttrID)attr, (CUstreamAttrValue *)value));
}

cudaError_t rt_cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                      const cudaLaunchAttributeValue *value) {
    return rt_error(rt_driver()->cuStreamSetAttribute(hStream, (CUstreamAttrID)attr, (const CUstreamAttrValue *)value));
}

cudaError_t rt_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    return rt_error(rt_driver()->cuStreamWaitEvent(stream, event, flags));
}

cudaError_t rt_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                     unsigned int flags) {
    return rt_error(rt_driver()->cuStreamAddCallback(stream, (CUstreamCallback)callback, userData, flags));
}

cudaError_t rt_cudaStreamSynchronize(cudaStream_t stream) {
    return rt_error(rt_driver()->cuStreamSynchronize(stream));
}

cudaError_t rt_cudaStreamQuery(cudaStream_t stream) {
    return rt_error(rt_driver()->cuStreamQuery(stream));
}

cudaError_t rt_cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags) {
    return rt_error(rt_driver()->cuStreamAttachMemAsync(stream, (CUdeviceptr)devPtr, length, flags));
}

cudaError_t rt_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
    return rt_error(rt_driver()->cuLaunchHostFunc(stream, fn, userData));
}

cudaError_t rt_cudaEventCreate(cudaEvent_t *event) {
    return rt_error(rt_driver()->cuEventCreate(event, CU_EVENT_DEFAULT));
}

cudaError_t rt_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    return rt_error(rt_driver()->cuEventCreate(event, flags));
}

cudaError_t rt_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return rt_error(rt_driver()->cuEventRecord(event, stream));
}

cudaError_t rt_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    return rt_error(rt_driver()->cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t rt_cudaEventQuery(cudaEvent_t event) {
    return rt_error(rt_driver()->cuEventQuery(event));
}

cudaError_t rt_cudaEventSynchronize(cudaEvent_t event) {
    return rt_error(rt_driver()->cuEventSynchronize(event));
}

cudaError_t rt_cudaEventDestroy(cudaEvent_t event) {
    return rt_error(rt_driver()->cuEventDestroy(event));
}

cudaError_t rt_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    return rt_error(rt_driver()->cuEventElapsedTime(ms, start, end));
}
