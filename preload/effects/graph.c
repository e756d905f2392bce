/*
 * Effects of CUDA graphs. Memory nodes and captured allocations take nothing when they are made; the device maps memory
 * for all graphs together when one is uploaded or launched, keeps it, and gives it back at a trim. Its own figure for
 * that is read after those calls, and each growth becomes an allocation of its own (effects/graph_memory.c). Called by
 * the feeds through entry_points.h.
 */
#include <cupti.h>

#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/effects/effects.h"
#include "preload/effects/graph_memory.h"
#include "preload/effects/samples.h"
#include "preload/feed.h"
#include "preload/record.h"

// A node that allocates `bytes` on `device`, whichever is current, or one that frees.
static void node(const struct mt_call *call, CUgraph graph, uint64_t address, uint64_t bytes, CUdevice device) {
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, address},
                                     {MT_TAG_GRAPH, (uintptr_t)graph},
                                     {MT_TAG_BYTES, bytes},
                                     {MT_TAG_DEVICE, (uint64_t)device}};
    size_t count = !bytes ? 2 : device == mt_context_device(call->context) ? 3 : 4;
    mt_record_effect(call, MT_EFFECT_CAPTURED, MT_AFTER_CALL, NULL, tags, count);
    if (bytes) mt_graph_memory_expected(device);
}

void mt_effect_graph_add_alloc(const struct mt_call *call) {
    const cuGraphAddMemAllocNode_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->nodeParams) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, p->nodeParams ? p->nodeParams->bytesize : 0);
        return;
    }
    node(call, p->hGraph, p->nodeParams->dptr, p->nodeParams->bytesize, p->nodeParams->poolProps.location.id);
}

void mt_effect_graph_add_free(const struct mt_call *call) {
    const cuGraphAddMemFreeNode_params *p = call->params;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_ADDRESS, p->dptr);
        return;
    }
    node(call, p->hGraph, p->dptr, 0, 0);
}

// A child's nodes become the graph's own. Only a child that is moved, not copied, may have some that allocate.
static void child(const struct mt_call *call, CUgraph graph, CUgraph moved) {
    const struct mt_tagged tags[] = {{MT_TAG_GRAPH, (uintptr_t)graph}, {MT_TAG_OBJECT, (uintptr_t)moved}};
    if (call->result == CUDA_SUCCESS) mt_record_effect(call, MT_EFFECT_CAPTURED, MT_AFTER_CALL, NULL, tags, 2);
}

// Of the many node types few have to do with memory.
static void any_node(const struct mt_call *call, CUgraph graph, const CUgraphNodeParams *node_params) {
    if (!node_params) return;
    if (node_params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
        const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *alloc = &node_params->alloc;
        if (call->result != CUDA_SUCCESS) {
            mt_record_failed(call, NULL, MT_TAG_BYTES, alloc->bytesize);
        } else {
            node(call, graph, alloc->dptr, alloc->bytesize, alloc->poolProps.location.id);
        }
    } else if (node_params->type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
        if (call->result != CUDA_SUCCESS) {
            mt_record_failed(call, NULL, MT_TAG_ADDRESS, node_params->free.dptr);
        } else {
            node(call, graph, node_params->free.dptr, 0, 0);
        }
    } else if (node_params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
        child(call, graph, node_params->graph.graph);
    }
}

void mt_effect_graph_add_node(const struct mt_call *call) {
    const cuGraphAddNode_params *p = call->params;
    any_node(call, p->hGraph, p->nodeParams);
}

void mt_effect_graph_add_node_v2(const struct mt_call *call) {
    const cuGraphAddNode_v2_params *p = call->params;
    any_node(call, p->hGraph, p->nodeParams);
}

static void step(const struct mt_call *call, enum mt_graph_step step, enum mt_when when, const void *graph,
                 CUstream stream) {
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, stream, MT_TAG_GRAPH, (uintptr_t)graph);
        return;
    }
    const struct mt_tagged tags[] = {{MT_TAG_GRAPH, (uintptr_t)graph}, {MT_TAG_ATTRIBUTE, step}};
    mt_record_effect(call, MT_EFFECT_GRAPH, when, stream, tags, 2);
    mt_graph_memory_look(call);
}

static void instantiated(const struct mt_call *call, const CUgraphExec *made, CUgraph source,
                         unsigned long long flags) {
    if (call->result != CUDA_SUCCESS || !made) {
        mt_record_failed(call, NULL, MT_TAG_GRAPH, (uintptr_t)source);
        return;
    }
    const struct mt_tagged tags[] = {{MT_TAG_GRAPH, (uintptr_t)*made},
                                     {MT_TAG_ATTRIBUTE, MT_GRAPH_INSTANTIATED},
                                     {MT_TAG_VALUE, (uintptr_t)source},
                                     {MT_TAG_FLAGS, flags}};
    mt_record_effect(call, MT_EFFECT_GRAPH, MT_AFTER_CALL, NULL, tags, flags ? 4 : 3);
    mt_graph_memory_look(call);
    // Kernels that were first launched into a capture could not be sampled then: their code shows up here.
    mt_sample(call, 0);
    mt_feed_graph_instantiated();
}

void mt_effect_graph_instantiate(const struct mt_call *call) {
    const cuGraphInstantiate_params *p = call->params;
    instantiated(call, p->phGraphExec, p->hGraph, 0);
}

void mt_effect_graph_instantiate_flags(const struct mt_call *call) {
    const cuGraphInstantiateWithFlags_params *p = call->params;
    instantiated(call, p->phGraphExec, p->hGraph, p->flags);
}

void mt_effect_graph_instantiate_params(const struct mt_call *call) {
    const cuGraphInstantiateWithParams_params *p = call->params;
    instantiated(call, p->phGraphExec, p->hGraph, p->instantiateParams ? p->instantiateParams->flags : 0);
}

void mt_effect_graph_upload(const struct mt_call *call) {
    const cuGraphUpload_params *p = call->params;
    step(call, MT_GRAPH_UPLOADED, MT_AFTER_CALL, p->hGraph, p->hStream);
}

// Into a stream that captures, it becomes part of another graph.
void mt_effect_graph_launch(const struct mt_call *call) {
    const cuGraphLaunch_params *p = call->params;
    if (call->result == CUDA_SUCCESS && mt_capture_includes(p->hStream, call->per_thread_stream)) {
        const struct mt_tagged tag = {MT_TAG_GRAPH, (uintptr_t)p->hGraph};
        mt_record_effect(call, MT_EFFECT_CAPTURED, MT_AFTER_CALL, p->hStream, &tag, 1);
        return;
    }
    step(call, MT_GRAPH_LAUNCHED, MT_AFTER_CALL, p->hGraph, p->hStream);
}

void mt_effect_graph_exec_destroy(const struct mt_call *call) {
    step(call, MT_GRAPH_EXEC_DESTROYED, MT_BEFORE_CALL, ((const cuGraphExecDestroy_params *)call->params)->hGraphExec,
         NULL);
}

void mt_effect_graph_destroy(const struct mt_call *call) {
    step(call, MT_GRAPH_DESTROYED, MT_BEFORE_CALL, ((const cuGraphDestroy_params *)call->params)->hGraph, NULL);
}

void mt_effect_graph_trim(const struct mt_call *call) {
    CUdevice device = ((const cuDeviceGraphMemTrim_params *)call->params)->device;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_DEVICE, (uint64_t)device);
        return;
    }
    const struct mt_tagged tags[] = {{MT_TAG_ATTRIBUTE, MT_GRAPH_TRIMMED}, {MT_TAG_DEVICE, (uint64_t)device}};
    mt_record_effect(call, MT_EFFECT_GRAPH, MT_AFTER_CALL, NULL, tags, 2);
    mt_graph_memory_look(call);
}
