/*
 * Looking up what failed frees meant; see attribution.h. A pass of its own, which remembers the end of those addresses
 * alone that something failed to free later.
 */
#include "viewer/analysis/attribution.h"

#include <stdlib.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

struct wanted {
    uint64_t address;
    struct mt_attribution end; // kind NONE: it has not ended so far
    UT_hash_handle hh;
};

struct search {
    const struct mt_report *report;
    const struct mt_failures *failures;
    struct mt_attribution *attributions;
    size_t next; // failure, in order of time
    struct wanted *wanted;
};

static struct mt_attribution meant(enum mt_attribution_kind kind, const struct mt_live *live) {
    return (struct mt_attribution){
        .kind = kind,
        .bytes = live->bytes,
        .memory = live->memory,
        .device = live->device,
        .api = live->api,
        .stack = live->stack,
    };
}

static struct wanted *find_wanted(const struct search *search, uint64_t address) {
    struct wanted *wanted;
    HASH_FIND(hh, search->wanted, &address, sizeof(address), wanted);
    return wanted;
}

static void remember_end(struct search *search, const struct mt_change *change) {
    struct wanted *wanted = find_wanted(search, change->live->key.identity);
    if (!wanted || change->live->memory == MT_MEMORY_TENSOR || change->live->memory == MT_MEMORY_TENSOR_CPU) return;
    wanted->end = meant(MT_ATTRIBUTION_GONE, change->live);
    wanted->end.end_time_ns = change->event->time_ns;
    wanted->end.end_api = change->event->api;
    wanted->end.end_stack = change->event->stack;
}

// Kinds that one call frees.
static int family(enum mt_memory memory) {
    switch (memory) {
    case MT_MEMORY_DEVICE:
    case MT_MEMORY_PITCHED:
    case MT_MEMORY_MANAGED:
    case MT_MEMORY_POOL:
    case MT_MEMORY_GRAPH:
        return -1;
    default:
        return (int)memory;
    }
}

static struct mt_attribution attribution_of(const struct search *search, const struct mt_failure *failure,
                                            uint32_t context, const struct mt_live *live) {
    const struct mt_api *api = mt_definitions_api(search->report->definitions, failure->api);
    if (api && family(api->memory) != family(live->memory)) return meant(MT_ATTRIBUTION_KIND, live);
    // Any call frees most kinds of device memory, but managed memory has no order of a stream.
    if (api && api->memory == MT_MEMORY_POOL && live->memory == MT_MEMORY_MANAGED)
        return meant(MT_ATTRIBUTION_KIND, live);
    if (live->device != failure->device) return meant(MT_ATTRIBUTION_DEVICE, live);
    return meant(live->context != context ? MT_ATTRIBUTION_CONTEXT : MT_ATTRIBUTION_NONE, live);
}

struct inside {
    uint64_t address;
    struct mt_attribution attribution;
};

static int look_inside(void *user, const struct mt_live *live) {
    struct inside *inside = user;
    uint64_t offset = inside->address - live->key.identity;
    if (live->key.space != MT_SPACE_ADDRESS || inside->address < live->key.identity || offset >= live->bytes) return 0;
    inside->attribution = meant(MT_ATTRIBUTION_INSIDE, live);
    inside->attribution.offset = offset;
    return 1;
}

static struct mt_attribution of_node(const struct mt_graph_node *node) {
    return (struct mt_attribution){
        .kind = node->launches ? MT_ATTRIBUTION_IN_GRAPH : MT_ATTRIBUTION_CAPTURED,
        .bytes = node->bytes,
        .memory = MT_MEMORY_GRAPH,
        .device = node->device,
        .api = node->api,
        .stack = node->stack,
    };
}

// A graph is refused while something that it allocates is still allocated by an earlier launch.
static struct mt_attribution of_launch(const struct mt_model *model, const struct mt_failure *failure) {
    uint64_t address;
    for (size_t at = 0; mt_graphs_next(mt_model_graphs(model), failure->graph, &at, &address);) {
        const struct mt_live *live = mt_model_find(model, MT_SPACE_ADDRESS, address);
        if (live && live->memory == MT_MEMORY_GRAPH && mt_graphs_find(mt_model_graphs(model), address))
            return meant(MT_ATTRIBUTION_UNFREED, live);
    }
    return (struct mt_attribution){0};
}

static struct mt_attribution of_free(const struct search *search, const struct mt_model *model,
                                     const struct mt_failure *failure, uint32_t context) {
    static const enum mt_space spaces[] = {MT_SPACE_ADDRESS, MT_SPACE_OBJECT, MT_SPACE_RESERVED};
    struct inside inside = {.address = failure->address, .attribution = {.kind = MT_ATTRIBUTION_NEVER}};
    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
        const struct mt_live *live = mt_model_find(model, spaces[i], failure->address);
        if (live && failure->result == MT_RESULT_DEINITIALIZED) return meant(MT_ATTRIBUTION_LATE, live);
        if (live) return attribution_of(search, failure, context, live);
    }
    const struct mt_graph_node *node = mt_graphs_find(mt_model_graphs(model), failure->address);
    if (node && !node->launches) return of_node(node);
    const struct wanted *wanted = find_wanted(search, failure->address);
    if (wanted && wanted->end.kind) return wanted->end;
    if (node) return of_node(node);
    mt_model_each_live(model, look_inside, &inside);
    return inside.attribution;
}

struct overlap {
    uint64_t start, end;
    struct mt_attribution attribution;
};

static int look_for_overlap(void *user, const struct mt_live *live) {
    struct overlap *overlap = user;
    uint64_t start = live->key.identity;
    bool pinned = live->memory == MT_MEMORY_REGISTERED || live->memory == MT_MEMORY_PINNED;
    if (!pinned || start >= overlap->end || start + live->bytes <= overlap->start) return 0;
    overlap->attribution = meant(MT_ATTRIBUTION_REGISTERED, live);
    return 1;
}

#define RESULT_ALREADY_REGISTERED 712 // CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuda.h

static struct mt_attribution of_registration(const struct mt_model *model, const struct mt_failure *failure) {
    struct overlap overlap = {.start = failure->address, .end = failure->address + failure->bytes};
    mt_model_each_live(model, look_for_overlap, &overlap);
    return overlap.attribution;
}

static struct mt_attribution attribution(const struct search *search, const struct mt_model *model,
                                         const struct mt_failure *failure, uint32_t context) {
    if (failure->kind == MT_FAILURE_FREE && failure->address) return of_free(search, model, failure, context);
    if (failure->result == RESULT_ALREADY_REGISTERED && failure->address) return of_registration(model, failure);
    if (failure->graph) return of_launch(model, failure);
    return (struct mt_attribution){0};
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct search *search = user;
    if (change->kind == MT_CHANGE_FREED) remember_end(search, change);
    const struct mt_failure *failure = &search->failures->items[search->next];
    if (change->index < failure->index) return 0;
    search->attributions[search->next++] = attribution(search, model, failure, change->event->context);
    return search->next == search->failures->count;
}

struct mt_attribution *mt_attribution_find(const struct mt_report *report, const struct mt_failures *failures) {
    struct search search = {.report = report, .failures = failures};
    search.attributions = mt_allocate(failures->count * sizeof(*search.attributions));
    for (size_t i = 0; i < failures->count; i++) {
        if (find_wanted(&search, failures->items[i].address)) continue;
        struct wanted *wanted = mt_allocate(sizeof(*wanted));
        wanted->address = failures->items[i].address;
        HASH_ADD(hh, search.wanted, address, sizeof(wanted->address), wanted);
    }
    if (failures->count) mt_report_replay(report, observe, &search);
    mt_hash_free(search.wanted);
    return search.attributions;
}
