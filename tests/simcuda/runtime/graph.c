// Capture, graphs and executable graphs: the driver's, under the runtime's names.
#include "tests/simcuda/runtime/runtime.h"
#include "tests/simcuda/runtime/translate.h"

cudaError_t rt_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    return rt_error(rt_driver()->cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
}

cudaError_t rt_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies,
                                             const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                             enum cudaStreamCaptureMode mode) {
    return rt_error(rt_driver()->cuStreamBeginCaptureToGraph(stream, graph, dependencies,
                                                             (const CUgraphEdgeData *)dependencyData, numDependencies,
                                                             (CUstreamCaptureMode)mode));
}

cudaError_t rt_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph) {
    return rt_error(rt_driver()->cuStreamEndCapture(stream, pGraph));
}

cudaError_t rt_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus) {
    return rt_error(rt_driver()->cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)pCaptureStatus));
}

cudaError_t rt_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                        unsigned long long *id_out, cudaGraph_t *graph_out,
                                        const cudaGraphNode_t **dependencies_out,
                                        const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out) {
    return rt_error(rt_driver()->cuStreamGetCaptureInfo(stream, (CUstreamCaptureStatus *)captureStatus_out,
                                                        (cuuint64_t *)id_out, graph_out, dependencies_out,
                                                        (const CUgraphEdgeData **)edgeData_out, numDependencies_out));
}

cudaError_t rt_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                   const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                                   unsigned int flags) {
    return rt_error(rt_driver()->cuStreamUpdateCaptureDependencies(
        stream, dependencies, (const CUgraphEdgeData *)dependencyData, numDependencies, flags));
}

cudaError_t rt_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    return rt_error(rt_driver()->cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}

cudaError_t rt_cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
    return rt_error(rt_driver()->cuGraphCreate(pGraph, flags));
}

cudaError_t rt_cudaGraphDestroy(cudaGraph_t graph) {
    return rt_error(rt_driver()->cuGraphDestroy(graph));
}

cudaError_t rt_cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph) {
    return rt_error(rt_driver()->cuGraphClone(pGraphClone, originalGraph));
}

cudaError_t rt_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType) {
    return rt_error(rt_driver()->cuGraphNodeGetType(node, (CUgraphNodeType *)pType));
}

cudaError_t rt_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes) {
    return rt_error(rt_driver()->cuGraphGetNodes(graph, nodes, numNodes));
}

cudaError_t rt_cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes) {
    return rt_error(rt_driver()->cuGraphGetRootNodes(graph, pRootNodes, pNumRootNodes));
}

cudaError_t rt_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edgeData, size_t *numEdges) {
    return rt_error(rt_driver()->cuGraphGetEdges(graph, from, to, (CUgraphEdgeData *)edgeData, numEdges));
}

cudaError_t rt_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                            cudaGraphEdgeData *edgeData, size_t *pNumDependencies) {
    return rt_error(
        rt_driver()->cuGraphNodeGetDependencies(node, pDependencies, (CUgraphEdgeData *)edgeData, pNumDependencies));
}

cudaError_t rt_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                              cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes) {
    return rt_error(rt_driver()->cuGraphNodeGetDependentNodes(node, pDependentNodes, (CUgraphEdgeData *)edgeData,
                                                              pNumDependentNodes));
}

cudaError_t rt_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData, size_t numDependencies) {
    return rt_error(
        rt_driver()->cuGraphAddDependencies(graph, from, to, (const CUgraphEdgeData *)edgeData, numDependencies));
}

cudaError_t rt_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edgeData, size_t numDependencies) {
    return rt_error(
        rt_driver()->cuGraphRemoveDependencies(graph, from, to, (const CUgraphEdgeData *)edgeData, numDependencies));
}

cudaError_t rt_cudaGraphDestroyNode(cudaGraphNode_t node) {
    return rt_error(rt_driver()->cuGraphDestroyNode(node));
}

cudaError_t rt_cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags) {
    return rt_error(rt_driver()->cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t rt_cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags) {
    return rt_error(rt_driver()->cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t rt_cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                              cudaGraphInstantiateParams *instantiateParams) {
    return rt_error(rt_driver()->cuGraphInstantiateWithParams(pGraphExec, graph,
                                                              (CUDA_GRAPH_INSTANTIATE_PARAMS *)instantiateParams));
}

cudaError_t rt_cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
    return rt_error(rt_driver()->cuGraphExecGetFlags(graphExec, (cuuint64_t *)flags));
}

cudaError_t rt_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t error = rt_kernel_node(pNodeParams, &params);
    return error == cudaSuccess ? rt_error(rt_driver()->cuGraphExecKernelNodeSetParams(hGraphExec, node, &params))
                                : error;
}

cudaError_t rt_cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                   cudaGraphExecUpdateResultInfo *resultInfo) {
    return rt_error(rt_driver()->cuGraphExecUpdate(hGraphExec, hGraph, (CUgraphExecUpdateResultInfo *)resultInfo));
}

cudaError_t rt_cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
    return rt_error(rt_driver()->cuGraphUpload(graphExec, stream));
}

cudaError_t rt_cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
    return rt_error(rt_driver()->cuGraphLaunch(graphExec, stream));
}

cudaError_t rt_cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
    return rt_error(rt_driver()->cuGraphExecDestroy(graphExec));
}

cudaError_t rt_cudaDeviceGraphMemTrim(int device) {
    return rt_error(rt_driver()->cuDeviceGraphMemTrim(device));
}

cudaError_t rt_cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value) {
    return rt_error(rt_driver()->cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}

cudaError_t rt_cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value) {
    return rt_error(rt_driver()->cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}
