/*
 * CUDA graphs that allocate. A node of a graph has an address from the start and memory only from a launch of the graph
 * until something frees it: a node of the graph, another graph, or the host. Nodes are known by their addresses, which
 * no other memory has while the graph exists. Fed and asked by the model.
 */
#ifndef MEMTRACE_VIEWER_MODEL_GRAPHS_H
#define MEMTRACE_VIEWER_MODEL_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/reader.h"

// A node that allocates, or an allocation that was captured.
struct mt_graph_node {
    uint64_t address, bytes;
    uint64_t launches; // of its graph, where that is known
    uint32_t api, stack, thread, device;
    bool freed_inside; // by its own graph
};

struct mt_graphs {
    struct graph_entry *graphs;     // by handle: those that can be instantiated, and those that can be launched
    struct graph_node_entry *nodes; // by address, the latest
};

void mt_graphs_clear(struct mt_graphs *graphs);

// CAPTURED: something became a node. `device` is that of what it allocates.
void mt_graphs_captured(struct mt_graphs *graphs, const struct mt_record_event *event, uint32_t device);

// GRAPH: one was instantiated, launched or destroyed. After a launch, `changed` is called for everything that the
// launch left allocated, and for every address that it freed and that another graph allocated (node NULL).
typedef void mt_graph_change_fn(void *user, uint64_t address, const struct mt_graph_node *node);
void mt_graphs_step(struct mt_graphs *graphs, const struct mt_record_event *event, mt_graph_change_fn *changed,
                    void *user);

// Other memory has this address now.
void mt_graphs_forget(struct mt_graphs *graphs, uint64_t address);

// The node that allocates at this address, or NULL.
const struct mt_graph_node *mt_graphs_find(const struct mt_graphs *graphs, uint64_t address);

// The addresses that a graph to launch allocates or frees, one after the other from *at = 0; false at the end.
bool mt_graphs_next(const struct mt_graphs *graphs, uint64_t executable, size_t *at, uint64_t *address);

#endif
