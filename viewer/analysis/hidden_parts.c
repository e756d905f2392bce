/*
 * Naming the parts; see hidden_parts.h. Call sites are grouped as --by asks, and told apart by the call that was made.
 */
#include "viewer/analysis/hidden_parts.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/by.h"
#include "viewer/base/hash.h"
#include "viewer/base/memory.h"
#include "viewer/base/printable.h"
#include "viewer/symbols/demangle.h"

struct label_key {
    uint64_t by;
    uint64_t api;
};

struct label_entry {
    struct label_key key;
    const char *label;
    UT_hash_handle hh;
};

struct composing {
    const struct mt_report *report;
    uint32_t device;
    struct mt_hidden *out;
    uint64_t asked; // physical bytes of all live allocations
    struct label_entry *labels;
    const struct mt_model *model;
    const char *managed; // the label of what is managed …
    bool several;        // … or there are several
    uint64_t away;       // prefetched, and not here
};

static const char *intern_label(const struct mt_report *report, const struct mt_live *live, const char *what) {
    char *site = report->options->by->label(report, live);
    char *text = mt_format_text("%s: %s", site, what);
    const char *label = mt_intern(report->texts, text);
    free(text);
    free(site);
    return label;
}

static const char *label_of(struct composing *composing, const struct mt_live *live) {
    const struct mt_report *report = composing->report;
    struct label_key key = {report->options->by->key(report, live), live->api};
    struct label_entry *entry;
    HASH_FIND(hh, composing->labels, &key, sizeof(key), entry);
    if (entry) return entry->label;
    entry = mt_allocate(sizeof(*entry));
    entry->key = key;
    entry->label = intern_label(report, live, mt_stacks_api(report->stacks, live->stack, live->api));
    HASH_ADD(hh, composing->labels, key, sizeof(entry->key), entry);
    return entry->label;
}

static int add(void *user, const struct mt_live *live) {
    struct composing *composing = user;
    struct mt_hidden *out = composing->out;
    // Managed memory may be on any device.
    if (live->device != composing->device && live->memory != MT_MEMORY_MANAGED) return 0;
    if (live->memory == MT_MEMORY_POOL) {
        return 0; // by the ledgers, which know the pools
    } else if (live->ledger == MT_LEDGER_ALLOCATOR) {
        out->segments.handed_out += live->bytes;
        out->segments.blocks++;
    } else if (live->memory == MT_MEMORY_MANAGED) {
        const char *label = label_of(composing, live);
        composing->several |= composing->managed && composing->managed != label;
        composing->managed = label;
        out->managed += live->bytes;
    } else if (live->ledger == MT_LEDGER_PHYSICAL) {
        composing->asked += live->taken;
        if (live->segment) {
            out->segments.bytes += live->taken;
            out->segments.count++;
        } else {
            mt_parts_add(&out->allocations, label_of(composing, live), live->taken);
        }
    }
    return 0;
}

// The device's part of managed memory, as it was prefetched.
static void add_migrated(void *user, const struct mt_range *range) {
    struct composing *composing = user;
    uint64_t bytes = range->end - range->start;
    const struct mt_live *live = mt_model_managed(composing->model, range->start, bytes);
    if (range->value != composing->device || !live) return;
    uint64_t away = composing->away < bytes ? composing->away : bytes;
    composing->away -= away;
    composing->asked += bytes - away;
    if (bytes > away) mt_parts_add(&composing->out->allocations, label_of(composing, live), bytes - away);
}

static void add_moved(struct composing *composing, uint64_t bytes) {
    const char *what = composing->several || !composing->managed ? "managed memory" : composing->managed;
    char *text = mt_format_text("%s: moved here, or a call took it meanwhile", what);
    mt_parts_add(&composing->out->hidden, mt_intern(composing->report->texts, text), bytes);
    free(text);
}

void mt_hidden_compose(const struct mt_report *report, const struct mt_model *model, uint32_t device, int64_t moved,
                       struct mt_hidden *out) {
    struct composing composing = {.report = report, .device = device, .out = out, .model = model};
    const struct mt_device_ledgers *ledgers = mt_ledgers_device(mt_model_ledgers(model), device);
    mt_by_prepare(report, model);
    mt_model_each_live(model, add, &composing);
    if (moved < 0) composing.away = (uint64_t)-moved;
    if (moved > 0) add_moved(&composing, (uint64_t)moved);
    out->traced -= composing.away;
    mt_model_each_migrated(model, add_migrated, &composing);
    out->pools = (struct mt_held){
        .bytes = mt_ledgers_pools(ledgers), .handed_out = ledgers->pool_bytes, .blocks = ledgers->pool_blocks};
    uint64_t taken = out->traced - out->pools.bytes;
    out->rounding = taken > composing.asked ? taken - composing.asked : 0;
    out->overlap = taken < composing.asked ? composing.asked - taken : 0;
    mt_parts_sort(&out->allocations);
    mt_hash_free(composing.labels);
}

#define KERNEL_NAME_COLUMNS 61

static char *cause_of(const struct mt_report *report, const struct mt_hidden_call *call) {
    const char *api = mt_stacks_api(report->stacks, call->stack, call->api);
    const char *kernel = call->kernel ? mt_definitions_kernel(report->definitions, call->kernel) : NULL;
    if (kernel) {
        char *name = mt_demangle(kernel);
        char *shown = mt_shortened(name, KERNEL_NAME_COLUMNS);
        char *text = mt_format_text("first launch of %s", shown);
        free(shown);
        free(name);
        return text;
    }
    if (call->effect == MT_EFFECT_CONTEXT_CREATED) return mt_format_text("context, by %s", api);
    if (call->effect == MT_EFFECT_LOADED) return mt_format_text("code, by %s", api);
    return mt_format_text("%s", api);
}

void mt_hidden_add_call(const struct mt_report *report, const struct mt_hidden_call *call, struct mt_hidden *out) {
    const struct mt_live as_live = {
        .bytes = call->bytes,
        .api = call->api,
        .stack = call->stack,
        .thread = call->thread,
        .context = call->context,
        .stream = call->stream,
        .device = 0,
    };
    char *cause = cause_of(report, call);
    mt_parts_add(&out->hidden, intern_label(report, &as_live, cause), call->bytes);
    free(cause);
}
