// Nodes of any type by one call, and the shape of graphs: nodes, roots, edges, and their change.
#include "tests/simcuda/driver/graph.h"
#include <string.h>

CUresult sim_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                               const CUgraphEdgeData *dependencyData, size_t numDependencies,
                               CUgraphNodeParams *nodeParams) {
    (void)dependencyData;
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    switch (nodeParams->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        CUDA_KERNEL_NODE_PARAMS params;
        memcpy(&params, &nodeParams->kernel, sizeof(params)); // the same members
        return sim_cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies, &params);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return sim_cuGraphAddMemcpyNode(phGraphNode, hGraph, dependencies, numDependencies,
                                        &nodeParams->memcpy.copyParams, nodeParams->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        CUDA_MEMSET_NODE_PARAMS params;
        memcpy(&params, &nodeParams->memset, sizeof(params)); // the newer form begins with the older
        return sim_cuGraphAddMemsetNode(phGraphNode, hGraph, dependencies, numDependencies, &params,
                                        nodeParams->memset.ctx);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
        CUDA_HOST_NODE_PARAMS params = {.fn = nodeParams->host.fn, .userData = nodeParams->host.userData};
        return sim_cuGraphAddHostNode(phGraphNode, hGraph, dependencies, numDependencies, &params);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return sim_cuGraphAddChildGraphNode(phGraphNode, hGraph, dependencies, numDependencies,
                                            nodeParams->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return sim_cuGraphAddEmptyNode(phGraphNode, hGraph, dependencies, numDependencies);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return sim_cuGraphAddEventWaitNode(phGraphNode, hGraph, dependencies, numDependencies,
                                           nodeParams->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return sim_cuGraphAddEventRecordNode(phGraphNode, hGraph, dependencies, numDependencies,
                                             nodeParams->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
        CUDA_MEM_ALLOC_NODE_PARAMS params = {.poolProps = nodeParams->alloc.poolProps,
                                             .bytesize = nodeParams->alloc.bytesize};
        CUresult result = sim_cuGraphAddMemAllocNode(phGraphNode, hGraph, dependencies, numDependencies, &params);
        nodeParams->alloc.dptr = params.dptr;
        return result;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return sim_cuGraphAddMemFreeNode(phGraphNode, hGraph, dependencies, numDependencies, nodeParams->free.dptr);
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult sim_cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                            size_t numDependencies, CUgraphNodeParams *nodeParams) {
    return sim_cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, NULL, numDependencies, nodeParams);
}

CUresult sim_cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
    static const CUgraphNodeType types[] = {
        [SIM_WORK_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,     [SIM_WORK_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
        [SIM_WORK_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,     [SIM_WORK_FILL] = CU_GRAPH_NODE_TYPE_MEMSET,
        [SIM_WORK_HOST] = CU_GRAPH_NODE_TYPE_HOST,       [SIM_WORK_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
        [SIM_WORK_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT, [SIM_WORK_ALLOCATE] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
        [SIM_WORK_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE,   [SIM_WORK_CHILD] = CU_GRAPH_NODE_TYPE_GRAPH};
    sim_lock();
    const struct sim_node *node = type ? sim_node_of(hNode) : NULL;
    if (node) *type = types[node->work.type];
    sim_unlock();
    return node ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// An answer in the way of all queries here: with no array the count, with one as many as fit.
struct answer {
    CUgraphNode *first, *second; // [room]; NULL: not asked for
    size_t room, count;
};

static void put(struct answer *answer, const struct sim_node *first, const struct sim_node *second) {
    if (answer->first && answer->count < answer->room) answer->first[answer->count] = (CUgraphNode)first;
    if (answer->second && answer->count < answer->room) answer->second[answer->count] = (CUgraphNode)second;
    answer->count++;
}

static size_t given(const struct answer *answer) {
    return answer->first && answer->count > answer->room ? answer->room : answer->count;
}

static CUresult nodes_of(CUgraph handle, CUgraphNode *nodes, size_t *count, bool roots) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    struct answer answer = {.first = nodes, .room = *count};
    sim_lock();
    const struct sim_graph *graph = sim_graph_of(handle);
    for (size_t i = 0; graph && i < graph->nodes.count; i++)
        if (!roots || !graph->nodes.items[i]->before.count) put(&answer, graph->nodes.items[i], NULL);
    sim_unlock();
    *count = given(&answer);
    return graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
    return nodes_of(hGraph, nodes, numNodes, false);
}

CUresult sim_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes) {
    return nodes_of(hGraph, rootNodes, numRootNodes, true);
}

CUresult sim_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges) {
    if (!numEdges) return CUDA_ERROR_INVALID_VALUE;
    struct answer answer = {.first = from, .second = to, .room = *numEdges};
    sim_lock();
    const struct sim_graph *graph = sim_graph_of(hGraph);
    for (size_t i = 0; graph && i < graph->nodes.count; i++) {
        const struct sim_node *node = graph->nodes.items[i];
        for (size_t j = 0; j < node->before.count; j++) put(&answer, node->before.items[j], node);
    }
    sim_unlock();
    *numEdges = given(&answer);
    return graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void no_edge_data(CUgraphEdgeData *data, size_t count) {
    if (data) memset(data, 0, count * sizeof(*data));
}

CUresult sim_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData,
                                size_t *numEdges) {
    CUresult result = sim_cuGraphGetEdges(hGraph, from, to, numEdges);
    if (result == CUDA_SUCCESS) no_edge_data(edgeData, *numEdges);
    return result;
}

CUresult sim_cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies) {
    if (!numDependencies) return CUDA_ERROR_INVALID_VALUE;
    struct answer answer = {.first = dependencies, .room = *numDependencies};
    sim_lock();
    const struct sim_node *node = sim_node_of(hNode);
    for (size_t i = 0; node && i < node->before.count; i++) put(&answer, node->before.items[i], NULL);
    sim_unlock();
    *numDependencies = given(&answer);
    return node ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
                                           size_t *numDependencies) {
    CUresult result = sim_cuGraphNodeGetDependencies(hNode, dependencies, numDependencies);
    if (result == CUDA_SUCCESS) no_edge_data(edgeData, *numDependencies);
    return result;
}

CUresult sim_cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes) {
    if (!numDependentNodes) return CUDA_ERROR_INVALID_VALUE;
    struct answer answer = {.first = dependentNodes, .room = *numDependentNodes};
    sim_lock();
    const struct sim_node *node = sim_node_of(hNode);
    for (size_t i = 0; node && i < node->graph->nodes.count; i++) {
        const struct sim_node *other = node->graph->nodes.items[i];
        for (size_t j = 0; j < other->before.count; j++)
            if (other->before.items[j] == node) put(&answer, other, NULL);
    }
    sim_unlock();
    *numDependentNodes = given(&answer);
    return node ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData,
                                             size_t *numDependentNodes) {
    CUresult result = sim_cuGraphNodeGetDependentNodes(hNode, dependentNodes, numDependentNodes);
    if (result == CUDA_SUCCESS) no_edge_data(edgeData, *numDependentNodes);
    return result;
}

static CUresult change_edges(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to, size_t count, bool add) {
    if (count && (!from || !to)) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_graph *graph = sim_graph_of(handle);
    CUresult result = graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        struct sim_node *first = sim_node_of(from[i]), *second = sim_node_of(to[i]);
        if (!first || !second || first->graph != graph || second->graph != graph)
            result = CUDA_ERROR_INVALID_VALUE;
        else if (!add)
            sim_nodes_remove(&second->before, first);
        else if (sim_nodes_add(&second->before, first))
            result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                    size_t numDependencies) {
    return change_edges(hGraph, from, to, numDependencies, true);
}

CUresult sim_cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                       const CUgraphEdgeData *edgeData, size_t numDependencies) {
    (void)edgeData;
    return change_edges(hGraph, from, to, numDependencies, true);
}

CUresult sim_cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                       size_t numDependencies) {
    return change_edges(hGraph, from, to, numDependencies, false);
}

CUresult sim_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                          const CUgraphEdgeData *edgeData, size_t numDependencies) {
    (void)edgeData;
    return change_edges(hGraph, from, to, numDependencies, false);
}
