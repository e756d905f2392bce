// The runtime functions that capture, build and launch graphs, one row each; api.h says what the columns mean. No
// include guard: each user defines the SIM_RUNTIME macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Capture
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamBeginCapture, 10000, _ptsz, 10000,
                 (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamBeginCaptureToGraph, 12030, _ptsz, 12030,
                 (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                  const cudaGraphEdgeData *dependencyData, size_t numDependencies, enum cudaStreamCaptureMode mode),
                 (stream, graph, dependencies, dependencyData, numDependencies, mode))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamEndCapture, 10000, _ptsz, 10000, (cudaStream_t stream, cudaGraph_t *pGraph),
                 (stream, pGraph))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamIsCapturing, 10000, _ptsz, 10000,
                 (cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus), (stream, pCaptureStatus))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamGetCaptureInfo, 12030, _ptsz, 12030,
                 (cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out, unsigned long long *id_out,
                  cudaGraph_t *graph_out, const cudaGraphNode_t **dependencies_out,
                  const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out),
                 (stream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamUpdateCaptureDependencies, 12030, _ptsz, 12030,
                 (cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *dependencyData,
                  size_t numDependencies, unsigned int flags),
                 (stream, dependencies, dependencyData, numDependencies, flags))
SIM_RUNTIME(CONTEXT, cudaThreadExchangeStreamCaptureMode, 10010, (enum cudaStreamCaptureMode *mode), (mode))

// Graphs and their nodes
SIM_RUNTIME(CONTEXT, cudaGraphCreate, 10000, (cudaGraph_t *pGraph, unsigned int flags), (pGraph, flags))
SIM_RUNTIME(CONTEXT, cudaGraphDestroy, 10000, (cudaGraph_t graph), (graph))
SIM_RUNTIME(CONTEXT, cudaGraphAddKernelNode, 10000,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, const struct cudaKernelNodeParams *pNodeParams),
            (pGraphNode, graph, pDependencies, numDependencies, pNodeParams))
SIM_RUNTIME(CONTEXT, cudaGraphKernelNodeGetParams, 10000,
            (cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams), (node, pNodeParams))
SIM_RUNTIME(CONTEXT, cudaGraphKernelNodeSetParams, 10000,
            (cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams), (node, pNodeParams))
SIM_RUNTIME(CONTEXT, cudaGraphAddMemcpyNode, 10000,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, const struct cudaMemcpy3DParms *pCopyParams),
            (pGraphNode, graph, pDependencies, numDependencies, pCopyParams))
SIM_RUNTIME(CONTEXT, cudaGraphAddMemcpyNode1D, 11010,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind),
            (pGraphNode, graph, pDependencies, numDependencies, dst, src, count, kind))
SIM_RUNTIME(CONTEXT, cudaGraphAddMemsetNode, 10000,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, const struct cudaMemsetParams *pMemsetParams),
            (pGraphNode, graph, pDependencies, numDependencies, pMemsetParams))
SIM_RUNTIME(CONTEXT, cudaGraphAddHostNode, 10000,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, const struct cudaHostNodeParams *pNodeParams),
            (pGraphNode, graph, pDependencies, numDependencies, pNodeParams))
SIM_RUNTIME(CONTEXT, cudaGraphAddChildGraphNode, 10000,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, cudaGraph_t childGraph),
            (pGraphNode, graph, pDependencies, numDependencies, childGraph))
SIM_RUNTIME(CONTEXT, cudaGraphAddEmptyNode, 10000,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies),
            (pGraphNode, graph, pDependencies, numDependencies))
SIM_RUNTIME(CONTEXT, cudaGraphAddEventRecordNode, 11010,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, cudaEvent_t event),
            (pGraphNode, graph, pDependencies, numDependencies, event))
SIM_RUNTIME(CONTEXT, cudaGraphAddEventWaitNode, 11010,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, cudaEvent_t event),
            (pGraphNode, graph, pDependencies, numDependencies, event))
SIM_RUNTIME(CONTEXT, cudaGraphAddMemAllocNode, 11040,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, struct cudaMemAllocNodeParams *nodeParams),
            (pGraphNode, graph, pDependencies, numDependencies, nodeParams))
SIM_RUNTIME(CONTEXT, cudaGraphMemAllocNodeGetParams, 11040,
            (cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out), (node, params_out))
SIM_RUNTIME(CONTEXT, cudaGraphAddMemFreeNode, 11040,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             size_t numDependencies, void *dptr),
            (pGraphNode, graph, pDependencies, numDependencies, dptr))
SIM_RUNTIME(CONTEXT, cudaGraphMemFreeNodeGetParams, 11040, (cudaGraphNode_t node, void *dptr_out), (node, dptr_out))
SIM_RUNTIME(CONTEXT, cudaGraphAddNode, 12030,
            (cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
             const cudaGraphEdgeData *dependencyData, size_t numDependencies, struct cudaGraphNodeParams *nodeParams),
            (pGraphNode, graph, pDependencies, dependencyData, numDependencies, nodeParams))
SIM_RUNTIME(CONTEXT, cudaGraphClone, 10000, (cudaGraph_t *pGraphClone, cudaGraph_t originalGraph),
            (pGraphClone, originalGraph))
SIM_RUNTIME(CONTEXT, cudaGraphNodeGetType, 10000, (cudaGraphNode_t node, enum cudaGraphNodeType *pType), (node, pType))
SIM_RUNTIME(CONTEXT, cudaGraphGetNodes, 10000, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes),
            (graph, nodes, numNodes))
SIM_RUNTIME(CONTEXT, cudaGraphGetRootNodes, 10000,
            (cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes), (graph, pRootNodes, pNumRootNodes))
SIM_RUNTIME(CONTEXT, cudaGraphGetEdges, 12030,
            (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
             size_t *numEdges),
            (graph, from, to, edgeData, numEdges))
SIM_RUNTIME(CONTEXT, cudaGraphNodeGetDependencies, 12030,
            (cudaGraphNode_t node, cudaGraphNode_t *pDependencies, cudaGraphEdgeData *edgeData,
             size_t *pNumDependencies),
            (node, pDependencies, edgeData, pNumDependencies))
SIM_RUNTIME(CONTEXT, cudaGraphNodeGetDependentNodes, 12030,
            (cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes, cudaGraphEdgeData *edgeData,
             size_t *pNumDependentNodes),
            (node, pDependentNodes, edgeData, pNumDependentNodes))
SIM_RUNTIME(CONTEXT, cudaGraphAddDependencies, 12030,
            (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
             const cudaGraphEdgeData *edgeData, size_t numDependencies),
            (graph, from, to, edgeData, numDependencies))
SIM_RUNTIME(CONTEXT, cudaGraphRemoveDependencies, 12030,
            (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
             const cudaGraphEdgeData *edgeData, size_t numDependencies),
            (graph, from, to, edgeData, numDependencies))
SIM_RUNTIME(CONTEXT, cudaGraphDestroyNode, 10000, (cudaGraphNode_t node), (node))

// Executable graphs and their memory
SIM_RUNTIME(CONTEXT, cudaGraphInstantiate, 12000,
            (cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags), (pGraphExec, graph, flags))
SIM_RUNTIME(CONTEXT, cudaGraphInstantiateWithFlags, 11040,
            (cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags), (pGraphExec, graph, flags))
SIM_RUNTIME_TWIN(CONTEXT, cudaGraphInstantiateWithParams, 12000, _ptsz, 12000,
                 (cudaGraphExec_t *pGraphExec, cudaGraph_t graph, cudaGraphInstantiateParams *instantiateParams),
                 (pGraphExec, graph, instantiateParams))
SIM_RUNTIME(CONTEXT, cudaGraphExecGetFlags, 12000, (cudaGraphExec_t graphExec, unsigned long long *flags),
            (graphExec, flags))
SIM_RUNTIME(CONTEXT, cudaGraphExecKernelNodeSetParams, 10010,
            (cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams),
            (hGraphExec, node, pNodeParams))
SIM_RUNTIME(CONTEXT, cudaGraphExecUpdate, 10020,
            (cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphExecUpdateResultInfo *resultInfo),
            (hGraphExec, hGraph, resultInfo))
SIM_RUNTIME_TWIN(CONTEXT, cudaGraphUpload, 10000, _ptsz, 10000, (cudaGraphExec_t graphExec, cudaStream_t stream),
                 (graphExec, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaGraphLaunch, 10000, _ptsz, 10000, (cudaGraphExec_t graphExec, cudaStream_t stream),
                 (graphExec, stream))
SIM_RUNTIME(CONTEXT, cudaGraphExecDestroy, 10000, (cudaGraphExec_t graphExec), (graphExec))
SIM_RUNTIME(INIT, cudaDeviceGraphMemTrim, 11040, (int device), (device))
SIM_RUNTIME(INIT, cudaDeviceGetGraphMemAttribute, 11040, (int device, enum cudaGraphMemAttributeType attr, void *value),
            (device, attr, value))
SIM_RUNTIME(INIT, cudaDeviceSetGraphMemAttribute, 11040, (int device, enum cudaGraphMemAttributeType attr, void *value),
            (device, attr, value))
