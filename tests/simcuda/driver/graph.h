// Graphs, their nodes, and executable graphs. A node is a work with the nodes that it follows; an executable graph is a
// list of works in an order that respects that. Needs the device lock.
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/handles.h"
#include "tests/simcuda/driver/work.h"

struct sim_device;
struct sim_graph_block;
struct sim_node;

struct sim_nodes {
    struct sim_node **items;
    size_t count, capacity;
};

struct sim_graph {
    struct sim_object object;
    struct sim_nodes nodes; // in the order of their making
    bool is_child;          // owned by a node of another graph
};

struct sim_node {
    struct sim_object object;
    struct sim_graph *graph;
    struct sim_work work;
    struct sim_graph_block *block; // of an allocation
    struct sim_nodes before;       // what it follows
    int mark;                      // of a walk under way
};

struct sim_exec_step {
    struct sim_work work;
    struct sim_graph_block *block;
    const struct sim_node *node; // it was made from; compared, not followed
};

struct sim_exec {
    struct sim_object object;
    struct sim_exec_step *steps;
    size_t step_count, step_capacity;
    unsigned long long flags;
    struct sim_device *device; // whose memory it allocates; NULL: none
    uint64_t footprint;        // the most that its blocks hold at once, in steps of device memory
    bool backed;               // device memory is there for it
};

// 0 or -ENOMEM. Add: only if it isn't there yet.
int sim_nodes_append(struct sim_nodes *nodes, struct sim_node *node);
int sim_nodes_add(struct sim_nodes *nodes, struct sim_node *node);
void sim_nodes_remove(struct sim_nodes *nodes, const struct sim_node *node);
void sim_nodes_clear(struct sim_nodes *nodes);

struct sim_graph *sim_graph_of(CUgraph handle);
struct sim_node *sim_node_of(CUgraphNode handle);
struct sim_graph *sim_graph_new(void);
void sim_graph_end(struct sim_graph *graph);
// A copy; CUDA_ERROR_NOT_SUPPORTED if it has memory nodes.
CUresult sim_graph_clone(const struct sim_graph *graph, struct sim_graph **result);
// Adds a node that does the work after the given ones. For a child graph the work's graph becomes the node's.
CUresult sim_graph_add(struct sim_graph *graph, const struct sim_work *work, struct sim_node *const *before,
                       size_t before_count, struct sim_node **result);
// The same for an allocation, which also gets its addresses.
CUresult sim_graph_add_allocation(struct sim_graph *graph, struct sim_device *device, uint64_t bytes,
                                  struct sim_node *const *before, size_t before_count, struct sim_node **result);
// Calls back for every node after those that it follows. CUDA_ERROR_INVALID_VALUE if there is a cycle.
CUresult sim_graph_walk(struct sim_graph *graph, CUresult (*use)(void *context, struct sim_node *node), void *context);

// The device's memory is gone: no executable graph has any.
void sim_execs_lose_memory(const struct sim_device *device);

#endif
