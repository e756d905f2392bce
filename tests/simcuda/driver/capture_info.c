// What a program can ask of a capture under way, and change in it.
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/graph.h"
#include "tests/simcuda/driver/stream.h"

CUresult sim_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                       CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                       size_t *numDependencies_out) {
    if (!captureStatus_out) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    bool found = sim_stream_device(hStream);
    struct sim_stream *stream = sim_stream_of(hStream);
    *captureStatus_out =
        stream ? sim_capture_describe(stream->capture, id_out, graph_out) : CU_STREAM_CAPTURE_STATUS_NONE;
    if (stream && stream->capture) {
        if (dependencies_out) *dependencies_out = (const CUgraphNode *)stream->tail.items;
        if (numDependencies_out) *numDependencies_out = stream->tail.count;
    }
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                       CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                       const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out) {
    if (edgeData_out) *edgeData_out = NULL;
    return sim_cuStreamGetCaptureInfo_v2(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
                                         numDependencies_out);
}

CUresult sim_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out) {
    return sim_cuStreamGetCaptureInfo_v2(hStream, captureStatus_out, id_out, NULL, NULL, NULL);
}

CUresult sim_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
    return sim_cuStreamGetCaptureInfo_v2(hStream, captureStatus, NULL, NULL, NULL, NULL);
}

CUresult sim_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
                                               unsigned int flags) {
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (numDependencies && !dependencies))
        return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_stream *stream = sim_stream_of(hStream);
    CUresult result = stream && stream->capture ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
    for (size_t i = 0; result == CUDA_SUCCESS && i < numDependencies; i++)
        if (!sim_node_of(dependencies[i])) result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) stream->tail.count = 0;
    for (size_t i = 0; result == CUDA_SUCCESS && i < numDependencies; i++)
        if (sim_nodes_add(&stream->tail, sim_node_of(dependencies[i]))) result = CUDA_ERROR_OUT_OF_MEMORY;
    sim_unlock();
    return result;
}

CUresult sim_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                                  const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                                  unsigned int flags) {
    (void)dependencyData;
    return sim_cuStreamUpdateCaptureDependencies(hStream, dependencies, numDependencies, flags);
}
