/*
 * Collecting failed calls; see failures.h.
 */
#include "viewer/analysis/failures.h"

#include <stdlib.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

struct entry {
    struct {
        uint64_t what; // bytes or address
        uint64_t result;
        uint32_t api, path; // of the program's lines: an allocator may try twice
    } key;
    size_t index;
    UT_hash_handle hh;
};

struct search {
    const struct mt_report *report;
    struct mt_failures *out;
    struct entry *entries;
};

static bool has_tag(const struct mt_record_event *event, enum mt_tag tag) {
    return event->present & (1u << tag);
}

static enum mt_failure_kind kind_of(const struct mt_report *report, const struct mt_record_event *event) {
    const struct mt_api *api = mt_definitions_api(report->definitions, event->api);
    if (has_tag(event, MT_TAG_BYTES)) return MT_FAILURE_REQUEST;
    switch (api ? api->effect : MT_EFFECT_NONE) {
    case MT_EFFECT_FREED:
    case MT_EFFECT_RELEASED:
    case MT_EFFECT_CLOSED:
    case MT_EFFECT_UNMAPPED:
    case MT_EFFECT_UNRESERVED:
    case MT_EFFECT_POOL_DESTROYED:
    case MT_EFFECT_CONTEXT_ENDED:
    case MT_EFFECT_UNLOADED:
        return MT_FAILURE_FREE;
    default:
        return MT_FAILURE_CALL;
    }
}

static uint64_t what_of(const struct mt_record_event *event) {
    if (has_tag(event, MT_TAG_OBJECT)) return event->tags[MT_TAG_OBJECT];
    return has_tag(event, MT_TAG_POOL) ? event->tags[MT_TAG_POOL] : event->tags[MT_TAG_ADDRESS];
}

static uint32_t device_of(const struct mt_report *report, const struct mt_record_event *event) {
    if (has_tag(event, MT_TAG_DEVICE)) return (uint32_t)event->tags[MT_TAG_DEVICE];
    int64_t device = mt_definitions_context_device(report->definitions, event->context);
    return device > 0 ? (uint32_t)device : 0;
}

static bool is_of_host(const struct mt_api *api) {
    return api && (api->memory == MT_MEMORY_PINNED || api->memory == MT_MEMORY_REGISTERED);
}

bool mt_failure_is_exhaustion(const struct mt_report *report, const struct mt_change *change, uint32_t *device) {
    const struct mt_record_event *event = change->event;
    *device = device_of(report, event);
    if (event->effect == MT_EFFECT_OUT_OF_MEMORY) return true;
    if (change->kind != MT_CHANGE_FAILED || report->survey.effects[MT_EFFECT_OUT_OF_MEMORY]) return false;
    if (event->tags[MT_TAG_RESULT] != MT_RESULT_OUT_OF_MEMORY || !has_tag(event, MT_TAG_BYTES)) return false;
    const struct mt_api *api = mt_definitions_api(report->definitions, event->api);
    return !is_of_host(api);
}

static struct mt_failure describe(const struct search *search, const struct mt_model *model,
                                  const struct mt_change *change) {
    const struct mt_record_event *event = change->event;
    const struct mt_definitions *definitions = search->report->definitions;
    uint32_t device = device_of(search->report, event);
    const struct mt_ledgers *ledgers = mt_model_ledgers(model);
    struct mt_account account = mt_account_of_device(search->report, device);
    const struct mt_device *definition = mt_definitions_device(definitions, device);
    return (struct mt_failure){
        .index = change->index,
        .kind = kind_of(search->report, event),
        .api = event->api,
        .stack = event->stack,
        .device = device,
        .bytes = event->tags[MT_TAG_BYTES],
        .address = what_of(event),
        .host = is_of_host(mt_definitions_api(definitions, event->api)),
        .graph = event->tags[MT_TAG_GRAPH],
        .result = event->tags[MT_TAG_RESULT],
        .count = 1,
        .time_ns = event->time_ns,
        .used = mt_account_tally(&account, ledgers)->bytes,
        .in_use = mt_ledgers_in_use(ledgers, device),
        .total = definition ? definition->total_bytes : 0,
        .allocated = event->tags[MT_TAG_ALLOCATED],
        .reserved = event->tags[MT_TAG_ALLOCATOR_RESERVED],
    };
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct search *search = user;
    const struct mt_record_event *event = change->event;
    if (change->kind != MT_CHANGE_FAILED && event->effect != MT_EFFECT_OUT_OF_MEMORY) return 0;
    struct mt_failure failure = describe(search, model, change);
    // Destructors that run after the driver has shut down at exit: a mistake only where they were to free memory.
    if (failure.result == MT_RESULT_DEINITIALIZED &&
        !(failure.kind == MT_FAILURE_FREE && event->tags[MT_TAG_ADDRESS])) {
        search->out->late++;
        return 0;
    }
    struct entry *entry, wanted = {0};
    wanted.key.what = failure.kind == MT_FAILURE_REQUEST ? failure.bytes : failure.address ^ failure.graph;
    wanted.key.result = failure.result;
    wanted.key.api = failure.api;
    wanted.key.path = mt_stacks_site(search->report->stacks, failure.stack)->path;
    search->out->calls++;
    HASH_FIND(hh, search->entries, &wanted.key, sizeof(wanted.key), entry);
    if (entry) {
        search->out->items[entry->index].count++;
        return 0;
    }
    entry = mt_allocate(sizeof(*entry));
    entry->key = wanted.key;
    entry->index = search->out->count++;
    mt_grow(&search->out->items, &search->out->capacity, search->out->count);
    search->out->items[entry->index] = failure;
    HASH_ADD(hh, search->entries, key, sizeof(entry->key), entry);
    return 0;
}

void mt_failures_find(const struct mt_report *report, struct mt_failures *out) {
    *out = (struct mt_failures){0};
    struct search search = {.report = report, .out = out};
    const uint64_t *effects = report->survey.effects;
    if (effects[MT_EFFECT_FAILED] || effects[MT_EFFECT_OUT_OF_MEMORY]) mt_report_replay(report, observe, &search);
    mt_hash_free(search.entries);
}
