// Nodes of graphs: the driver's, with kernels, copies and arrays translated.
#include "tests/simcuda/runtime/runtime.h"
#include "tests/simcuda/runtime/translate.h"

_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS),
               "memset parameters are the driver's");
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "alloc parameters too");
_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS), "host parameters too");
_Static_assert(offsetof(struct cudaGraphNodeParams, alloc) == offsetof(CUgraphNodeParams, alloc), "and their union");

cudaError_t rt_kernel_node(const struct cudaKernelNodeParams *params, CUDA_KERNEL_NODE_PARAMS *node) {
    CUkernel kernel;
    if (!params) return cudaErrorInvalidValue;
    cudaError_t error = rt_kernel(params->func, &kernel);
    if (error == cudaSuccess)
        *node = (CUDA_KERNEL_NODE_PARAMS){.kern = kernel,
                                          .gridDimX = params->gridDim.x,
                                          .gridDimY = params->gridDim.y,
                                          .gridDimZ = params->gridDim.z,
                                          .blockDimX = params->blockDim.x,
                                          .blockDimY = params->blockDim.y,
                                          .blockDimZ = params->blockDim.z,
                                          .sharedMemBytes = params->sharedMemBytes,
                                          .kernelParams = params->kernelParams,
                                          .extra = params->extra};
    return error;
}

cudaError_t rt_cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS node;
    cudaError_t error = rt_kernel_node(pNodeParams, &node);
    return error == cudaSuccess
               ? rt_error(rt_driver()->cuGraphAddKernelNode(pGraphNode, graph, pDependencies, numDependencies, &node))
               : error;
}

cudaError_t rt_cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS params;
    if (!pNodeParams) return cudaErrorInvalidValue;
    CUresult result = rt_driver()->cuGraphKernelNodeGetParams(node, &params);
    if (result == CUDA_SUCCESS)
        *pNodeParams = (struct cudaKernelNodeParams){.func = params.func,
                                                     .gridDim = {params.gridDimX, params.gridDimY, params.gridDimZ},
                                                     .blockDim = {params.blockDimX, params.blockDimY, params.blockDimZ},
                                                     .sharedMemBytes = params.sharedMemBytes,
                                                     .kernelParams = params.kernelParams,
                                                     .extra = params.extra};
    return rt_error(result);
}

cudaError_t rt_cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams) {
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t error = rt_kernel_node(pNodeParams, &params);
    return error == cudaSuccess ? rt_error(rt_driver()->cuGraphKernelNodeSetParams(node, &params)) : error;
}

static CUcontext current(void) {
    CUcontext context = NULL;
    rt_driver()->cuCtxGetCurrent(&context);
    return context;
}

cudaError_t rt_cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      const struct cudaMemcpy3DParms *pCopyParams) {
    CUDA_MEMCPY3D copy;
    cudaError_t error = rt_copy_3d(pCopyParams, &copy);
    return error == cudaSuccess ? rt_error(rt_driver()->cuGraphAddMemcpyNode(pGraphNode, graph, pDependencies,
                                                                             numDependencies, &copy, current()))
                                : error;
}

cudaError_t rt_cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                        const void *src, size_t count, enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms params = {.srcPtr = {(void *)src, count, count, 1},
                                       .dstPtr = {dst, count, count, 1},
                                       .extent = {count, 1, 1},
                                       .kind = kind};
    return rt_cudaGraphAddMemcpyNode(pGraphNode, graph, pDependencies, numDependencies, &params);
}

cudaError_t rt_cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      const struct cudaMemsetParams *pMemsetParams) {
    return rt_error(rt_driver()->cuGraphAddMemsetNode(pGraphNode, graph, pDependencies, numDependencies,
                                                      (const CUDA_MEMSET_NODE_PARAMS *)pMemsetParams, current()));
}

cudaError_t rt_cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                    const struct cudaHostNodeParams *pNodeParams) {
    return rt_error(rt_driver()->cuGraphAddHostNode(pGraphNode, graph, pDependencies, numDependencies,
                                                    (const CUDA_HOST_NODE_PARAMS *)pNodeParams));
}

cudaError_t rt_cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                          cudaGraph_t childGraph) {
    return rt_error(
        rt_driver()->cuGraphAddChildGraphNode(pGraphNode, graph, pDependencies, numDependencies, childGraph));
}

cudaError_t rt_cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies) {
    return rt_error(rt_driver()->cuGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies));
}

cudaError_t rt_cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                           cudaEvent_t event) {
    return rt_error(rt_driver()->cuGraphAddEventRecordNode(pGraphNode, graph, pDependencies, numDependencies, event));
}

cudaError_t rt_cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                         const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                         cudaEvent_t event) {
    return rt_error(rt_driver()->cuGraphAddEventWaitNode(pGraphNode, graph, pDependencies, numDependencies, event));
}

cudaError_t rt_cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                        struct cudaMemAllocNodeParams *nodeParams) {
    return rt_error(rt_driver()->cuGraphAddMemAllocNode(pGraphNode, graph, pDependencies, numDependencies,
                                                        (CUDA_MEM_ALLOC_NODE_PARAMS *)nodeParams));
}

cudaError_t rt_cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out) {
    return rt_error(rt_driver()->cuGraphMemAllocNodeGetParams(node, (CUDA_MEM_ALLOC_NODE_PARAMS *)params_out));
}

cudaError_t rt_cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dptr) {
    return rt_error(
        rt_driver()->cuGraphAddMemFreeNode(pGraphNode, graph, pDependencies, numDependencies, (CUdeviceptr)dptr));
}

cudaError_t rt_cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out) {
    return rt_error(rt_driver()->cuGraphMemFreeNodeGetParams(node, dptr_out));
}

cudaError_t rt_cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                struct cudaGraphNodeParams *nodeParams) {
    if (!nodeParams) return cudaErrorInvalidValue;
    if (nodeParams->type == cudaGraphNodeTypeKernel) {
        const struct cudaKernelNodeParamsV2 *kernel = &nodeParams->kernel;
        struct cudaKernelNodeParams params = {.func = kernel->func,
                                              .gridDim = kernel->gridDim,
                                              .blockDim = kernel->blockDim,
                                              .sharedMemBytes = kernel->sharedMemBytes,
                                              .kernelParams = kernel->kernelParams,
                                              .extra = kernel->extra};
        return rt_cudaGraphAddKernelNode(pGraphNode, graph, pDependencies, numDependencies, &params);
    }
    if (nodeParams->type == cudaGraphNodeTypeMemcpy)
        return rt_cudaGraphAddMemcpyNode(pGraphNode, graph, pDependencies, numDependencies,
                                         &nodeParams->memcpy.copyParams);
    return rt_error(rt_driver()->cuGraphAddNode(pGraphNode, graph, pDependencies,
                                                (const CUgraphEdgeData *)dependencyData, numDependencies,
                                                (CUgraphNodeParams *)nodeParams));
}
