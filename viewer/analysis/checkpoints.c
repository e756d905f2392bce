/*
 * Finding the checkpoints; see checkpoints.h.
 *
 * One pass walks the tree of user lines (stacks.h) along with the trace. A *visit* of a line lasts while events keep
 * coming from below it. Coming back, within one visit of a line, to a call that had been left for another one means
 * that the line loops, or holds a loop.
 */
#include "viewer/analysis/checkpoints.h"

#include <stdlib.h>

#include "viewer/base/memory.h"

struct line_node {
    uint64_t visit;            // the current one, or the last
    uint64_t parent_visit;     // the parent's visit in which this line was last entered
    uint64_t allocated, freed; // events below this line
    uint32_t step;             // of the training, when the visit began
    uint32_t children;         // distinct lines below
    uint32_t deep, shallow;    // entries of lines below that call on, and of lines that allocate by themselves
    bool entered, ends;
    bool returns; // within one visit, a line below was entered again after others
    bool spans;   // a visit went on for steps
    bool in_loop, holds_loop, expanded;
};

struct mt_checkpoints {
    struct mt_stacks *stacks;
    struct mt_phases *phases;
    struct line_node *nodes; // by path
    size_t capacity;
    uint32_t top; // all events are below this line
    // While the pass runs:
    uint32_t thread, path; // of the event before
    uint64_t visits;
    uint32_t *way; // the lines being entered, innermost first
    size_t way_capacity;
};

static struct line_node *node_of(struct mt_checkpoints *checkpoints, uint32_t path) {
    mt_grow(&checkpoints->nodes, &checkpoints->capacity, (size_t)path + 1);
    return &checkpoints->nodes[path];
}

static uint32_t common_path(const struct mt_stacks *stacks, uint32_t a, uint32_t b) {
    while (a != b) {
        struct mt_path path_a = mt_stacks_path(stacks, a), path_b = mt_stacks_path(stacks, b);
        if (path_a.depth >= path_b.depth) a = path_a.parent;
        if (path_b.depth >= path_a.depth) b = path_b.parent;
    }
    return a;
}

static void enter(struct mt_checkpoints *checkpoints, uint32_t path, uint32_t step, bool deep) {
    struct mt_path line = mt_stacks_path(checkpoints->stacks, path);
    node_of(checkpoints, line.parent); // may move the nodes: before any pointer is taken
    struct line_node *node = node_of(checkpoints, path);
    struct line_node *parent = &checkpoints->nodes[line.parent];
    if (!node->entered)
        parent->children++;
    else if (node->parent_visit == parent->visit)
        parent->returns = true;
    node->entered = true;
    node->parent_visit = parent->visit;
    node->visit = ++checkpoints->visits;
    node->step = step;
    if (deep)
        parent->deep++;
    else
        parent->shallow++;
}

// Enters the lines from just below `from` down to `path`, outermost first.
static void enter_below(struct mt_checkpoints *checkpoints, uint32_t from, uint32_t path, uint32_t step) {
    size_t count = 0;
    for (uint32_t at = path; at != from; at = mt_stacks_path(checkpoints->stacks, at).parent) {
        mt_grow(&checkpoints->way, &checkpoints->way_capacity, count + 1);
        checkpoints->way[count++] = at;
    }
    while (count-- > 0) enter(checkpoints, checkpoints->way[count], step, count > 0);
}

static void count_event(struct mt_checkpoints *checkpoints, uint32_t path, uint32_t step, bool freed) {
    for (; path; path = mt_stacks_path(checkpoints->stacks, path).parent) {
        struct line_node *node = &checkpoints->nodes[path];
        if (freed)
            node->freed++;
        else
            node->allocated++;
        // What is made for a step may come before it, on the same line; two steps are a loop.
        if (step > node->step + 1) node->spans = true;
    }
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct mt_checkpoints *checkpoints = user;
    uint32_t step = mt_phases_follow(checkpoints->phases, model, change).step;
    if (!change->live || change->live->ledger == MT_LEDGER_NONE) return 0;
    uint32_t path = mt_stacks_site(checkpoints->stacks, change->event->stack)->path;
    // Interleaved threads do not loop: what another thread does in between tells nothing about this one.
    bool same_thread = change->cause == checkpoints->thread;
    uint32_t common = same_thread ? common_path(checkpoints->stacks, checkpoints->path, path) : 0;
    if (!same_thread) node_of(checkpoints, 0)->visit = ++checkpoints->visits;
    enter_below(checkpoints, common, path, step);
    node_of(checkpoints, path)->ends = true;
    count_event(checkpoints, path, step, change->kind == MT_CHANGE_FREED);
    checkpoints->thread = change->cause;
    checkpoints->path = path;
    return 0;
}

// What only takes memory builds something up, what only gives back tears it down; neither is the program's main loop.
static bool is_loop(const struct line_node *node) {
    return node->returns && node->allocated && node->freed && node->deep >= node->shallow;
}

static bool mostly_calls(const struct line_node *node) {
    return node->deep >= 3 * (uint64_t)node->shallow && node->children > 1;
}

// Callers have smaller numbers than what they call: one sweep inwards to outwards tells which lines hold a loop, one
// back which lie in one.
static void find_loops(struct mt_checkpoints *checkpoints, uint32_t limit) {
    struct line_node *nodes = checkpoints->nodes;
    for (uint32_t path = limit; path-- > 1;) {
        if (!is_loop(&nodes[path]) && !nodes[path].holds_loop) continue;
        nodes[path].expanded = nodes[path].deep >= nodes[path].shallow;
        if (nodes[path].expanded) nodes[mt_stacks_path(checkpoints->stacks, path).parent].holds_loop = true;
    }
    for (uint32_t path = 1; path < limit; path++) {
        uint32_t parent = mt_stacks_path(checkpoints->stacks, path).parent;
        nodes[path].in_loop = parent && (nodes[parent].in_loop || is_loop(&nodes[parent]));
        if (nodes[path].in_loop && mostly_calls(&nodes[path])) nodes[path].expanded = true;
        if (nodes[path].spans && nodes[path].children) nodes[path].expanded = true;
    }
}

static void decide(struct mt_checkpoints *checkpoints) {
    uint32_t limit = mt_stacks_path_limit(checkpoints->stacks);
    node_of(checkpoints, limit);
    find_loops(checkpoints, limit);
    // Down from the root while there is one line that only calls: the whole trace lies below it.
    uint32_t only = 0;
    while (checkpoints->nodes[only].children == 1 && !checkpoints->nodes[only].ends) {
        uint32_t child = only + 1;
        while (child < limit &&
               !(mt_stacks_path(checkpoints->stacks, child).parent == only && checkpoints->nodes[child].entered))
            child++;
        if (child == limit || checkpoints->nodes[child].ends) break;
        only = child;
    }
    // A line below which nothing differs down to the row's own line is itself the checkpoint.
    if (checkpoints->nodes[only].children > 1) checkpoints->top = only;
}

struct mt_checkpoints *mt_checkpoints_new(struct mt_report *report, struct mt_phases *phases) {
    struct mt_checkpoints *checkpoints = mt_allocate(sizeof(*checkpoints));
    checkpoints->stacks = report->stacks;
    checkpoints->phases = phases;
    mt_phases_restart(phases);
    node_of(checkpoints, 0)->visit = ++checkpoints->visits;
    mt_report_replay(report, observe, checkpoints);
    decide(checkpoints);
    return checkpoints;
}

void mt_checkpoints_free(struct mt_checkpoints *checkpoints) {
    if (!checkpoints) return;
    free(checkpoints->nodes);
    free(checkpoints->way);
    free(checkpoints);
}

uint32_t mt_checkpoint_of(const struct mt_checkpoints *checkpoints, uint32_t path) {
    uint32_t top_depth = mt_stacks_path(checkpoints->stacks, checkpoints->top).depth;
    // The outermost line below the top that is not expanded: walk up, and remember the last one seen.
    uint32_t checkpoint = path;
    for (uint32_t at = path; at;) {
        struct mt_path line = mt_stacks_path(checkpoints->stacks, at);
        if (line.depth <= top_depth) break;
        bool expanded = at < checkpoints->capacity && checkpoints->nodes[at].expanded;
        if (at == path || !expanded) checkpoint = at;
        at = line.parent;
    }
    return checkpoint;
}
