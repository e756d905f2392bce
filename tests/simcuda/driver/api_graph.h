// The driver entry points that capture, build, instantiate and launch graphs, one row each; api.h says what the columns
// mean. No include guard: each user defines the SIM_API macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Stream capture
SIM_API_STREAM(CONTEXT, 10000, cuStreamBeginCapture, (CUstream hStream), (hStream), hStream)
SIM_API_STREAM(CONTEXT, 10010, cuStreamBeginCapture_v2, (CUstream hStream, CUstreamCaptureMode mode), (hStream, mode),
               hStream)
SIM_API_STREAM(CONTEXT, 12030, cuStreamBeginCaptureToGraph,
               (CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                const CUgraphEdgeData *dependencyData, size_t numDependencies, CUstreamCaptureMode mode),
               (hStream, hGraph, dependencies, dependencyData, numDependencies, mode), hStream)
SIM_API_STREAM(CONTEXT, 10000, cuStreamEndCapture, (CUstream hStream, CUgraph *phGraph), (hStream, phGraph), hStream)
SIM_API_STREAM(CONTEXT, 10000, cuStreamIsCapturing, (CUstream hStream, CUstreamCaptureStatus *captureStatus),
               (hStream, captureStatus), hStream)
SIM_API_STREAM(CONTEXT, 10010, cuStreamGetCaptureInfo,
               (CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out),
               (hStream, captureStatus_out, id_out), hStream)
SIM_API_STREAM(CONTEXT, 11030, cuStreamGetCaptureInfo_v2,
               (CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
                const CUgraphNode **dependencies_out, size_t *numDependencies_out),
               (hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out), hStream)
SIM_API_STREAM(CONTEXT, 12030, cuStreamGetCaptureInfo_v3,
               (CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
                const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
                size_t *numDependencies_out),
               (hStream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out),
               hStream)
SIM_API_STREAM(CONTEXT, 11030, cuStreamUpdateCaptureDependencies,
               (CUstream hStream, CUgraphNode *dependencies, size_t numDependencies, unsigned int flags),
               (hStream, dependencies, numDependencies, flags), hStream)
SIM_API_STREAM(CONTEXT, 12030, cuStreamUpdateCaptureDependencies_v2,
               (CUstream hStream, CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
                size_t numDependencies, unsigned int flags),
               (hStream, dependencies, dependencyData, numDependencies, flags), hStream)
SIM_API(CONTEXT, 10010, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *mode), (mode))

// Graphs and their nodes
SIM_API(INIT, 10000, cuGraphCreate, (CUgraph *phGraph, unsigned int flags), (phGraph, flags))
SIM_API(INIT, 10000, cuGraphAddKernelNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams),
        (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))
SIM_API(INIT, 12000, cuGraphAddKernelNode_v2,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         const CUDA_KERNEL_NODE_PARAMS *nodeParams),
        (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))
SIM_API(INIT, 12000, cuGraphKernelNodeGetParams_v2, (CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams),
        (hNode, nodeParams))
SIM_API(INIT, 12000, cuGraphKernelNodeSetParams_v2, (CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams),
        (hNode, nodeParams))
SIM_API(INIT, 10000, cuGraphAddMemcpyNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         const CUDA_MEMCPY3D *copyParams, CUcontext ctx),
        (phGraphNode, hGraph, dependencies, numDependencies, copyParams, ctx))
SIM_API(INIT, 10000, cuGraphMemcpyNodeGetParams, (CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams), (hNode, nodeParams))
SIM_API(INIT, 10000, cuGraphMemcpyNodeSetParams, (CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams),
        (hNode, nodeParams))
SIM_API(INIT, 10000, cuGraphAddMemsetNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx),
        (phGraphNode, hGraph, dependencies, numDependencies, memsetParams, ctx))
SIM_API(INIT, 10000, cuGraphMemsetNodeGetParams, (CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams),
        (hNode, nodeParams))
SIM_API(INIT, 10000, cuGraphMemsetNodeSetParams, (CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams),
        (hNode, nodeParams))
SIM_API(INIT, 10000, cuGraphAddHostNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         const CUDA_HOST_NODE_PARAMS *nodeParams),
        (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))
SIM_API(INIT, 10000, cuGraphHostNodeGetParams, (CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams),
        (hNode, nodeParams))
SIM_API(INIT, 10000, cuGraphHostNodeSetParams, (CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams),
        (hNode, nodeParams))
SIM_API(INIT, 10000, cuGraphAddChildGraphNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         CUgraph childGraph),
        (phGraphNode, hGraph, dependencies, numDependencies, childGraph))
SIM_API(INIT, 10000, cuGraphChildGraphNodeGetGraph, (CUgraphNode hNode, CUgraph *phGraph), (hNode, phGraph))
SIM_API(INIT, 10000, cuGraphAddEmptyNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies),
        (phGraphNode, hGraph, dependencies, numDependencies))
SIM_API(INIT, 11010, cuGraphAddEventRecordNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         CUevent event),
        (phGraphNode, hGraph, dependencies, numDependencies, event))
SIM_API(INIT, 11010, cuGraphAddEventWaitNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         CUevent event),
        (phGraphNode, hGraph, dependencies, numDependencies, event))
SIM_API(INIT, 11040, cuGraphAddMemAllocNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams),
        (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))
SIM_API(INIT, 11040, cuGraphMemAllocNodeGetParams, (CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out),
        (hNode, params_out))
SIM_API(INIT, 11040, cuGraphAddMemFreeNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         CUdeviceptr dptr),
        (phGraphNode, hGraph, dependencies, numDependencies, dptr))
SIM_API(INIT, 11040, cuGraphMemFreeNodeGetParams, (CUgraphNode hNode, CUdeviceptr *dptr_out), (hNode, dptr_out))
SIM_API(INIT, 12020, cuGraphAddNode,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
         CUgraphNodeParams *nodeParams),
        (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))
SIM_API(INIT, 12030, cuGraphAddNode_v2,
        (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
         const CUgraphEdgeData *dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams),
        (phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams))
SIM_API(INIT, 10000, cuGraphClone, (CUgraph *phGraphClone, CUgraph originalGraph), (phGraphClone, originalGraph))
SIM_API(INIT, 10000, cuGraphNodeGetType, (CUgraphNode hNode, CUgraphNodeType *type), (hNode, type))
SIM_API(INIT, 10000, cuGraphGetNodes, (CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes), (hGraph, nodes, numNodes))
SIM_API(INIT, 10000, cuGraphGetRootNodes, (CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes),
        (hGraph, rootNodes, numRootNodes))
SIM_API(INIT, 10000, cuGraphGetEdges, (CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges),
        (hGraph, from, to, numEdges))
SIM_API(INIT, 12030, cuGraphGetEdges_v2,
        (CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData, size_t *numEdges),
        (hGraph, from, to, edgeData, numEdges))
SIM_API(INIT, 10000, cuGraphNodeGetDependencies,
        (CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies), (hNode, dependencies, numDependencies))
SIM_API(INIT, 12030, cuGraphNodeGetDependencies_v2,
        (CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData, size_t *numDependencies),
        (hNode, dependencies, edgeData, numDependencies))
SIM_API(INIT, 10000, cuGraphNodeGetDependentNodes,
        (CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes),
        (hNode, dependentNodes, numDependentNodes))
SIM_API(INIT, 12030, cuGraphNodeGetDependentNodes_v2,
        (CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData, size_t *numDependentNodes),
        (hNode, dependentNodes, edgeData, numDependentNodes))
SIM_API(INIT, 10000, cuGraphAddDependencies,
        (CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies),
        (hGraph, from, to, numDependencies))
SIM_API(INIT, 12030, cuGraphAddDependencies_v2,
        (CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData,
         size_t numDependencies),
        (hGraph, from, to, edgeData, numDependencies))
SIM_API(INIT, 10000, cuGraphRemoveDependencies,
        (CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies),
        (hGraph, from, to, numDependencies))
SIM_API(INIT, 12030, cuGraphRemoveDependencies_v2,
        (CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData,
         size_t numDependencies),
        (hGraph, from, to, edgeData, numDependencies))
SIM_API(INIT, 10000, cuGraphDestroyNode, (CUgraphNode hNode), (hNode))
SIM_API(INIT, 10000, cuGraphDestroy, (CUgraph hGraph), (hGraph))

// Executable graphs and their memory
SIM_API(INIT, 11040, cuDeviceGetGraphMemAttribute, (CUdevice device, CUgraphMem_attribute attr, void *value),
        (device, attr, value))
SIM_API(INIT, 11040, cuDeviceSetGraphMemAttribute, (CUdevice device, CUgraphMem_attribute attr, void *value),
        (device, attr, value))
SIM_API(INIT, 11040, cuDeviceGraphMemTrim, (CUdevice device), (device))
SIM_API(CONTEXT, 10000, cuGraphInstantiate,
        (CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize),
        (phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize))
SIM_API(CONTEXT, 11000, cuGraphInstantiate_v2,
        (CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize),
        (phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize))
SIM_API(CONTEXT, 11040, cuGraphInstantiateWithFlags,
        (CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags), (phGraphExec, hGraph, flags))
SIM_API_PTSZ(CONTEXT, 12000, cuGraphInstantiateWithParams,
             (CUgraphExec *phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams),
             (phGraphExec, hGraph, instantiateParams))
SIM_API(CONTEXT, 12000, cuGraphExecGetFlags, (CUgraphExec hGraphExec, cuuint64_t *flags), (hGraphExec, flags))
SIM_API(CONTEXT, 12000, cuGraphExecKernelNodeSetParams_v2,
        (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams),
        (hGraphExec, hNode, nodeParams))
SIM_API(CONTEXT, 10020, cuGraphExecUpdate,
        (CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
         CUgraphExecUpdateResult *updateResult_out),
        (hGraphExec, hGraph, hErrorNode_out, updateResult_out))
SIM_API(CONTEXT, 12000, cuGraphExecUpdate_v2,
        (CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo),
        (hGraphExec, hGraph, resultInfo))
SIM_API_STREAM(CONTEXT, 11010, cuGraphUpload, (CUgraphExec hGraph, CUstream hStream), (hGraph, hStream), hStream)
SIM_API_STREAM(CONTEXT, 10000, cuGraphLaunch, (CUgraphExec hGraph, CUstream hStream), (hGraph, hStream), hStream)
SIM_API(CONTEXT, 10000, cuGraphExecDestroy, (CUgraphExec hGraphExec), (hGraphExec))
