// Graphs and nodes as objects.
#include "tests/simcuda/driver/graph.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/graph_memory.h"
#include "tests/simcuda/driver/memory.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_nodes_append(struct sim_nodes *nodes, struct sim_node *node) {
    if (nodes->count == nodes->capacity) {
        size_t capacity = nodes->capacity ? 2 * nodes->capacity : 4;
        struct sim_node **items = realloc(nodes->items, capacity * sizeof(*items));
        if (!items) return -ENOMEM;
        nodes->items = items;
        nodes->capacity = capacity;
    }
    nodes->items[nodes->count++] = node;
    return 0;
}

int sim_nodes_add(struct sim_nodes *nodes, struct sim_node *node) {
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->items[i] == node) return 0;
    return sim_nodes_append(nodes, node);
}

void sim_nodes_remove(struct sim_nodes *nodes, const struct sim_node *node) {
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->items[i] == node) {
            memmove(&nodes->items[i], &nodes->items[i + 1], (--nodes->count - i) * sizeof(*nodes->items));
            return;
        }
}

void sim_nodes_clear(struct sim_nodes *nodes) {
    free(nodes->items);
    *nodes = (struct sim_nodes){0};
}

struct sim_graph *sim_graph_of(CUgraph handle) {
    return sim_object_of(handle, SIM_KIND_GRAPH);
}

struct sim_node *sim_node_of(CUgraphNode handle) {
    return sim_object_of(handle, SIM_KIND_NODE);
}

struct sim_graph *sim_graph_new(void) {
    struct sim_graph *graph = calloc(1, sizeof(*graph));
    if (graph) sim_object_add(&graph->object, SIM_KIND_GRAPH, NULL);
    return graph;
}

static void node_end(struct sim_node *node) {
    if (node->work.type == SIM_WORK_CHILD) sim_graph_end(node->work.child);
    if (node->block) sim_graph_block_drop(node->block);
    sim_work_clear(&node->work);
    sim_nodes_clear(&node->before);
    sim_object_remove(&node->object);
    free(node);
}

void sim_graph_end(struct sim_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) node_end(graph->nodes.items[i]);
    sim_nodes_clear(&graph->nodes);
    sim_object_remove(&graph->object);
    free(graph);
}

CUresult sim_graph_add(struct sim_graph *graph, const struct sim_work *work, struct sim_node *const *before,
                       size_t before_count, struct sim_node **result) {
    for (size_t i = 0; i < before_count; i++)
        if (!sim_node_of((CUgraphNode)before[i]) || before[i]->graph != graph) return CUDA_ERROR_INVALID_VALUE;
    struct sim_node *node = calloc(1, sizeof(*node));
    if (!node || sim_work_copy(&node->work, work)) {
        free(node);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    sim_object_add(&node->object, SIM_KIND_NODE, NULL);
    node->graph = graph;
    int error = 0;
    for (size_t i = 0; i < before_count && !error; i++) error = sim_nodes_add(&node->before, before[i]);
    // It is new, so it is put behind the others without a search.
    if (error || sim_nodes_append(&graph->nodes, node)) {
        node_end(node);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (work->type == SIM_WORK_CHILD) work->child->is_child = true;
    *result = node;
    return CUDA_SUCCESS;
}

CUresult sim_graph_add_allocation(struct sim_graph *graph, struct sim_device *device, uint64_t bytes,
                                  struct sim_node *const *before, size_t before_count, struct sim_node **result) {
    struct sim_graph_block *block;
    CUresult status = sim_graph_block_new(device, bytes, &block);
    if (status != CUDA_SUCCESS) return status;
    struct sim_work work = {.type = SIM_WORK_ALLOCATE,
                            .memory = {.address = block->range->start, .bytes = bytes, .device = device->ordinal}};
    status = sim_graph_add(graph, &work, before, before_count, result);
    if (status == CUDA_SUCCESS)
        (*result)->block = block;
    else
        sim_graph_block_drop(block);
    return status;
}

enum { UNSEEN, UNDER_WAY, DONE };

static CUresult visit(struct sim_node *node, CUresult (*use)(void *, struct sim_node *), void *context) {
    if (node->mark == DONE) return CUDA_SUCCESS;
    if (node->mark == UNDER_WAY) return CUDA_ERROR_INVALID_VALUE;
    node->mark = UNDER_WAY;
    for (size_t i = 0; i < node->before.count; i++) {
        CUresult result = visit(node->before.items[i], use, context);
        if (result != CUDA_SUCCESS) return result;
    }
    node->mark = DONE;
    return use(context, node);
}

CUresult sim_graph_walk(struct sim_graph *graph, CUresult (*use)(void *, struct sim_node *), void *context) {
    for (size_t i = 0; i < graph->nodes.count; i++) graph->nodes.items[i]->mark = UNSEEN;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->nodes.count && result == CUDA_SUCCESS; i++)
        result = visit(graph->nodes.items[i], use, context);
    return result;
}

// The node of the copy that stands where `node` stands in the original.
static struct sim_node *counterpart(const struct sim_graph *original, const struct sim_graph *copy,
                                    const struct sim_node *node) {
    for (size_t i = 0; i < original->nodes.count; i++)
        if (original->nodes.items[i] == node) return copy->nodes.items[i];
    return NULL;
}

static CUresult clone_nodes(const struct sim_graph *graph, struct sim_graph *copy) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct sim_work work = graph->nodes.items[i]->work;
        if (work.type == SIM_WORK_ALLOCATE || work.type == SIM_WORK_FREE) return CUDA_ERROR_NOT_SUPPORTED;
        CUresult result = work.type == SIM_WORK_CHILD ? sim_graph_clone(work.child, &work.child) : CUDA_SUCCESS;
        struct sim_node *node;
        if (result == CUDA_SUCCESS) result = sim_graph_add(copy, &work, NULL, 0, &node);
        if (result != CUDA_SUCCESS) return result;
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct sim_nodes *before = &graph->nodes.items[i]->before;
        for (size_t j = 0; j < before->count; j++)
            if (sim_nodes_add(&copy->nodes.items[i]->before, counterpart(graph, copy, before->items[j])))
                return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

CUresult sim_graph_clone(const struct sim_graph *graph, struct sim_graph **result) {
    struct sim_graph *copy = sim_graph_new();
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult status = clone_nodes(graph, copy);
    if (status == CUDA_SUCCESS)
        *result = copy;
    else
        sim_graph_end(copy);
    return status;
}

CUresult sim_cuGraphCreate(CUgraph *phGraph, unsigned int flags) {
    if (!phGraph || flags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    *phGraph = (CUgraph)sim_graph_new();
    sim_unlock();
    return *phGraph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuGraphDestroy(CUgraph hGraph) {
    sim_lock();
    struct sim_graph *graph = sim_graph_of(hGraph);
    bool own = graph && !graph->is_child;
    if (own) sim_graph_end(graph);
    sim_unlock();
    return own ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
    sim_lock();
    struct sim_graph *graph = sim_graph_of(originalGraph);
    CUresult result =
        graph && phGraphClone ? sim_graph_clone(graph, (struct sim_graph **)phGraphClone) : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}

CUresult sim_cuGraphDestroyNode(CUgraphNode hNode) {
    sim_lock();
    struct sim_node *node = sim_node_of(hNode);
    bool removable = node && node->work.type != SIM_WORK_ALLOCATE && node->work.type != SIM_WORK_FREE;
    if (removable) {
        struct sim_graph *graph = node->graph;
        sim_nodes_remove(&graph->nodes, node);
        for (size_t i = 0; i < graph->nodes.count; i++) sim_nodes_remove(&graph->nodes.items[i]->before, node);
        node_end(node);
    }
    sim_unlock();
    return removable ? CUDA_SUCCESS : node ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}
