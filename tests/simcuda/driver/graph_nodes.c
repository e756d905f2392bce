// Adding nodes to graphs, and reading and changing what they do.
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/graph.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/module.h"
#include <string.h>

static CUresult add(CUgraphNode *node, CUgraph handle, const CUgraphNode *before, size_t before_count,
                    const struct sim_work *work) {
    if (!node || (before_count && !before)) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_graph *graph = sim_graph_of(handle);
    CUresult result =
        graph ? sim_graph_add(graph, work, (struct sim_node *const *)before, before_count, (struct sim_node **)node)
              : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}

// What a node of that type does, or NULL. Needs the lock.
static struct sim_work *work_of(CUgraphNode handle, enum sim_work_type type) {
    struct sim_node *node = sim_node_of(handle);
    return node && node->work.type == type ? &node->work : NULL;
}

// A kernel node's work; its parameters are the caller's. Takes the lock.
static CUresult kernel_work(const CUDA_KERNEL_NODE_PARAMS *params, struct sim_work *work) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_kernel *kernel = sim_kernel_of(params->func ? (const void *)params->func : params->kern);
    struct sim_context *context = params->ctx ? sim_context_of(params->ctx) : sim_context_current();
    sim_unlock();
    if (!kernel || !context) return kernel ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_HANDLE;
    *work = (struct sim_work){.type = SIM_WORK_KERNEL,
                              .launch = {.kernel = kernel,
                                         .context = context,
                                         .grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
                                         .block = {params->blockDimX, params->blockDimY, params->blockDimZ},
                                         .shared_bytes = params->sharedMemBytes,
                                         .params = params->kernelParams,
                                         .extra = params->extra}};
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                     size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    struct sim_work work;
    CUresult result = kernel_work(nodeParams, &work);
    return result == CUDA_SUCCESS ? add(phGraphNode, hGraph, dependencies, numDependencies, &work) : result;
}

CUresult sim_cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    CUDA_KERNEL_NODE_PARAMS params = {0};
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    memcpy(&params, nodeParams, sizeof(*nodeParams)); // the newer form begins with the older
    return sim_cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies, &params);
}

CUresult sim_cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_work *work = work_of(hNode, SIM_WORK_KERNEL);
    if (work) {
        const struct sim_launch *launch = &work->launch;
        *nodeParams = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)launch->kernel,
                                                .gridDimX = launch->grid[0],
                                                .gridDimY = launch->grid[1],
                                                .gridDimZ = launch->grid[2],
                                                .blockDimX = launch->block[0],
                                                .blockDimY = launch->block[1],
                                                .blockDimZ = launch->block[2],
                                                .sharedMemBytes = launch->shared_bytes,
                                                .kernelParams = launch->params,
                                                .ctx = (CUcontext)launch->context};
    }
    sim_unlock();
    return work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Replaces what a node does by work of the same type.
static CUresult replace(CUgraphNode handle, const struct sim_work *work) {
    struct sim_work copy;
    sim_lock();
    struct sim_work *old = work_of(handle, work->type);
    CUresult result = !old                         ? CUDA_ERROR_INVALID_VALUE
                      : sim_work_copy(&copy, work) ? CUDA_ERROR_OUT_OF_MEMORY
                                                   : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS) {
        sim_work_clear(old);
        *old = copy;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    struct sim_work work;
    CUresult result = kernel_work(nodeParams, &work);
    return result == CUDA_SUCCESS ? replace(hNode, &work) : result;
}

CUresult sim_cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  size_t numDependencies, const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
    (void)ctx;
    if (!copyParams) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_COPY, .copy = *copyParams};
    return add(phGraphNode, hGraph, dependencies, numDependencies, &work);
}

CUresult sim_cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams) {
    sim_lock();
    const struct sim_work *work = nodeParams ? work_of(hNode, SIM_WORK_COPY) : NULL;
    if (work) *nodeParams = work->copy;
    sim_unlock();
    return work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_COPY, .copy = *nodeParams};
    return replace(hNode, &work);
}

static struct sim_work fill_work(const CUDA_MEMSET_NODE_PARAMS *params) {
    return (struct sim_work){.type = SIM_WORK_FILL,
                             .fill = {.start = params->dst,
                                      .pitch = params->pitch,
                                      .value = params->value,
                                      .element_bytes = params->elementSize,
                                      .width = params->width,
                                      .height = params->height}};
}

CUresult sim_cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx) {
    (void)ctx;
    if (!memsetParams) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = fill_work(memsetParams);
    return add(phGraphNode, hGraph, dependencies, numDependencies, &work);
}

CUresult sim_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    sim_lock();
    const struct sim_work *work = nodeParams ? work_of(hNode, SIM_WORK_FILL) : NULL;
    if (work)
        *nodeParams = (CUDA_MEMSET_NODE_PARAMS){.dst = work->fill.start,
                                                .pitch = work->fill.pitch,
                                                .value = work->fill.value,
                                                .elementSize = work->fill.element_bytes,
                                                .width = work->fill.width,
                                                .height = work->fill.height};
    sim_unlock();
    return work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = fill_work(nodeParams);
    return replace(hNode, &work);
}

CUresult sim_cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                size_t numDependencies, const CUDA_HOST_NODE_PARAMS *nodeParams) {
    if (!nodeParams || !nodeParams->fn) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_HOST, .host = {.function = nodeParams->fn, .data = nodeParams->userData}};
    return add(phGraphNode, hGraph, dependencies, numDependencies, &work);
}

CUresult sim_cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams) {
    sim_lock();
    const struct sim_work *work = nodeParams ? work_of(hNode, SIM_WORK_HOST) : NULL;
    if (work) *nodeParams = (CUDA_HOST_NODE_PARAMS){.fn = work->host.function, .userData = work->host.data};
    sim_unlock();
    return work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams) {
    if (!nodeParams || !nodeParams->fn) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_HOST, .host = {.function = nodeParams->fn, .data = nodeParams->userData}};
    return replace(hNode, &work);
}

CUresult sim_cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                      size_t numDependencies, CUgraph childGraph) {
    struct sim_work work = {.type = SIM_WORK_CHILD};
    sim_lock();
    struct sim_graph *child = sim_graph_of(childGraph);
    CUresult result = child ? sim_graph_clone(child, &work.child) : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    if (result != CUDA_SUCCESS) return result;
    result = add(phGraphNode, hGraph, dependencies, numDependencies, &work);
    if (result != CUDA_SUCCESS) {
        sim_lock();
        sim_graph_end(work.child);
        sim_unlock();
    }
    return result;
}

CUresult sim_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph) {
    sim_lock();
    const struct sim_work *work = phGraph ? work_of(hNode, SIM_WORK_CHILD) : NULL;
    if (work) *phGraph = (CUgraph)work->child;
    sim_unlock();
    return work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies) {
    struct sim_work work = {.type = SIM_WORK_EMPTY};
    return add(phGraphNode, hGraph, dependencies, numDependencies, &work);
}

CUresult sim_cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                       size_t numDependencies, CUevent event) {
    struct sim_work work = {.type = SIM_WORK_RECORD, .event = event};
    return add(phGraphNode, hGraph, dependencies, numDependencies, &work);
}

CUresult sim_cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                     size_t numDependencies, CUevent event) {
    struct sim_work work = {.type = SIM_WORK_WAIT, .event = event};
    return add(phGraphNode, hGraph, dependencies, numDependencies, &work);
}

CUresult sim_cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                    size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams) {
    if (!phGraphNode || !nodeParams || (numDependencies && !dependencies)) return CUDA_ERROR_INVALID_VALUE;
    struct sim_device *device = sim_device(nodeParams->poolProps.location.id);
    if (!device || nodeParams->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    struct sim_node *node;
    sim_lock();
    struct sim_graph *graph = sim_graph_of(hGraph);
    CUresult result = graph ? sim_graph_add_allocation(graph, device, nodeParams->bytesize,
                                                       (struct sim_node *const *)dependencies, numDependencies, &node)
                            : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        nodeParams->dptr = node->work.memory.address;
        *phGraphNode = (CUgraphNode)node;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out) {
    sim_lock();
    const struct sim_work *work = params_out ? work_of(hNode, SIM_WORK_ALLOCATE) : NULL;
    if (work)
        *params_out = (CUDA_MEM_ALLOC_NODE_PARAMS){
            .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                          .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = work->memory.device}},
            .bytesize = work->memory.bytes,
            .dptr = work->memory.address};
    sim_unlock();
    return work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                   size_t numDependencies, CUdeviceptr dptr) {
    sim_lock();
    bool from_graph = sim_memory_at(dptr, SIM_GRAPH);
    sim_unlock();
    if (!from_graph) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_FREE, .memory = {.address = dptr}};
    return add(phGraphNode, hGraph, dependencies, numDependencies, &work);
}

CUresult sim_cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out) {
    sim_lock();
    const struct sim_work *work = dptr_out ? work_of(hNode, SIM_WORK_FREE) : NULL;
    if (work) *dptr_out = work->memory.address;
    sim_unlock();
    return work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
