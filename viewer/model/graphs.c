/*
 * Graphs and their memory nodes; see graphs.h. A graph is the list of what it allocates and frees; to instantiate it
 * copies the list, as the driver does.
 */
#include "viewer/model/graphs.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

struct action {
    uint64_t address;
    bool frees;
};

struct graph_entry {
    uint64_t handle;
    struct action *actions;
    size_t count, capacity;
    UT_hash_handle hh;
};

struct graph_node_entry {
    struct mt_graph_node node; // its address is the key
    UT_hash_handle hh;
};

static bool has_tag(const struct mt_record_event *event, enum mt_tag tag) {
    return event->present & (1u << tag);
}

static struct graph_entry *find_graph(const struct mt_graphs *graphs, uint64_t handle) {
    struct graph_entry *entry;
    HASH_FIND(hh, graphs->graphs, &handle, sizeof(handle), entry);
    return entry;
}

static struct graph_entry *graph_of(struct mt_graphs *graphs, uint64_t handle) {
    struct graph_entry *entry = find_graph(graphs, handle);
    if (entry) return entry;
    entry = mt_allocate(sizeof(*entry));
    entry->handle = handle;
    HASH_ADD(hh, graphs->graphs, handle, sizeof(entry->handle), entry);
    return entry;
}

static void remove_graph(struct mt_graphs *graphs, uint64_t handle) {
    struct graph_entry *entry = find_graph(graphs, handle);
    if (!entry) return;
    HASH_DEL(graphs->graphs, entry);
    free(entry->actions);
    free(entry);
}

static struct graph_node_entry *find_node(const struct mt_graphs *graphs, uint64_t address) {
    struct graph_node_entry *entry;
    HASH_FIND(hh, graphs->nodes, &address, sizeof(address), entry);
    return entry;
}

static void add_action(struct graph_entry *graph, struct action action) {
    mt_grow(&graph->actions, &graph->capacity, graph->count + 1);
    graph->actions[graph->count++] = action;
}

static void add_actions(struct graph_entry *graph, const struct graph_entry *of) {
    for (size_t i = 0; of && of != graph && i < of->count; i++) add_action(graph, of->actions[i]);
}

static bool allocates(const struct graph_entry *graph, uint64_t address) {
    for (size_t i = 0; graph && i < graph->count; i++)
        if (graph->actions[i].address == address && !graph->actions[i].frees) return true;
    return false;
}

static void add_node(struct mt_graphs *graphs, const struct mt_record_event *event, uint32_t device) {
    struct graph_node_entry *entry = find_node(graphs, event->address);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry));
        entry->node.address = event->address;
        HASH_ADD(hh, graphs->nodes, node.address, sizeof(entry->node.address), entry);
    }
    entry->node = (struct mt_graph_node){
        .address = event->address,
        .bytes = event->bytes,
        .api = event->api,
        .stack = event->stack,
        .thread = event->thread,
        .device = device,
    };
}

void mt_graphs_captured(struct mt_graphs *graphs, const struct mt_record_event *event, uint32_t device) {
    uint64_t handle = event->tags[MT_TAG_GRAPH];
    struct graph_entry *graph =
        handle && (event->address || has_tag(event, MT_TAG_OBJECT)) ? graph_of(graphs, handle) : NULL;
    if (event->address) {
        bool frees = !event->bytes;
        struct graph_node_entry *freed = frees ? find_node(graphs, event->address) : NULL;
        if (freed && (!graph || allocates(graph, event->address))) freed->node.freed_inside = true;
        if (!frees) add_node(graphs, event, device);
        if (graph) add_action(graph, (struct action){event->address, frees});
    } else if (graph) {
        // The nodes of a child graph that was moved into this one.
        add_actions(graph, find_graph(graphs, event->tags[MT_TAG_OBJECT]));
    }
}

static void launch(struct mt_graphs *graphs, const struct graph_entry *graph, mt_graph_change_fn *changed, void *user) {
    for (size_t i = 0; i < graph->count; i++) {
        const struct action *action = &graph->actions[i];
        struct graph_node_entry *entry = find_node(graphs, action->address);
        if (!action->frees && entry) {
            entry->node.launches++;
            if (!entry->node.freed_inside) changed(user, action->address, &entry->node);
        } else if (action->frees && !(entry && entry->node.freed_inside)) {
            changed(user, action->address, NULL);
        }
    }
}

void mt_graphs_step(struct mt_graphs *graphs, const struct mt_record_event *event, mt_graph_change_fn *changed,
                    void *user) {
    uint64_t handle = event->tags[MT_TAG_GRAPH];
    const struct graph_entry *graph = find_graph(graphs, handle);
    switch (event->tags[MT_TAG_ATTRIBUTE]) {
    case MT_GRAPH_INSTANTIATED:
        remove_graph(graphs, handle); // the handle of an older one, whose end was not seen
        if ((graph = find_graph(graphs, event->tags[MT_TAG_VALUE]))) add_actions(graph_of(graphs, handle), graph);
        break;
    case MT_GRAPH_LAUNCHED:
        if (graph) launch(graphs, graph, changed, user);
        break;
    case MT_GRAPH_EXEC_DESTROYED:
    case MT_GRAPH_DESTROYED:
        remove_graph(graphs, handle);
        break;
    default:
        break;
    }
}

void mt_graphs_forget(struct mt_graphs *graphs, uint64_t address) {
    struct graph_node_entry *entry = graphs->nodes ? find_node(graphs, address) : NULL;
    if (!entry) return;
    HASH_DEL(graphs->nodes, entry);
    free(entry);
}

const struct mt_graph_node *mt_graphs_find(const struct mt_graphs *graphs, uint64_t address) {
    const struct graph_node_entry *entry = find_node(graphs, address);
    return entry ? &entry->node : NULL;
}

bool mt_graphs_next(const struct mt_graphs *graphs, uint64_t executable, size_t *at, uint64_t *address) {
    const struct graph_entry *graph = find_graph(graphs, executable);
    if (!graph || *at >= graph->count) return false;
    *address = graph->actions[(*at)++].address;
    return true;
}

void mt_graphs_clear(struct mt_graphs *graphs) {
    while (graphs->graphs) remove_graph(graphs, graphs->graphs->handle);
    mt_hash_free(graphs->nodes);
}
