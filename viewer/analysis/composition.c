/*
 * Grouping a live set; see composition.h.
 */
#include "viewer/analysis/composition.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

struct label_entry {
    const char *label; // owned by the group
    size_t group;
    UT_hash_handle hh;
};

struct key_entry {
    uint64_t key;
    size_t group;
    UT_hash_handle hh;
};

// One table in the making.
struct grouping {
    const struct mt_report *report;
    const struct mt_by *by;
    struct mt_group_table *out;
    struct label_entry *labels;
    struct key_entry *keys;
};

struct division {
    const struct mt_account *account;
    struct mt_composition *out;
    struct grouping total, beside;
};

static size_t group_of_label(struct grouping *grouping, char *label) {
    struct mt_group_table *out = grouping->out;
    struct label_entry *entry;
    HASH_FIND_STR(grouping->labels, label, entry);
    if (entry) {
        free(label);
        return entry->group;
    }
    mt_grow(&out->groups, &out->group_capacity, out->group_count + 1);
    out->groups[out->group_count].label = label;
    entry = mt_allocate(sizeof(*entry));
    entry->label = label;
    entry->group = out->group_count++;
    HASH_ADD_KEYPTR(hh, grouping->labels, entry->label, strlen(entry->label), entry);
    return entry->group;
}

static size_t group_of(struct grouping *grouping, const struct mt_live *live) {
    uint64_t key = grouping->by->key(grouping->report, live);
    struct key_entry *entry;
    HASH_FIND(hh, grouping->keys, &key, sizeof(key), entry);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry));
        entry->key = key;
        entry->group = group_of_label(grouping, grouping->by->label(grouping->report, live));
        HASH_ADD(hh, grouping->keys, key, sizeof(entry->key), entry);
    }
    return entry->group;
}

static void add_to(struct grouping *grouping, const struct mt_live *live) {
    size_t index = group_of(grouping, live); // may move the groups
    struct mt_group *group = &grouping->out->groups[index];
    group->bytes += live->bytes;
    group->count++;
    grouping->out->bytes += live->bytes;
    grouping->out->count++;
}

static int add(void *user, const struct mt_live *live) {
    struct division *division = user;
    if (!mt_account_holds(division->account, live)) return 0;
    if (live->segment) {
        division->out->segment_bytes += live->taken;
        division->out->segment_count++;
    } else {
        add_to(mt_account_totals(division->account, live) ? &division->total : &division->beside, live);
    }
    return 0;
}

static int most_bytes_first(const void *left, const void *right) {
    const struct mt_group *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return strcmp(a->label, b->label);
}

static void finish(struct grouping *grouping) {
    struct mt_group_table *out = grouping->out;
    if (out->group_count) qsort(out->groups, out->group_count, sizeof(*out->groups), most_bytes_first);
    mt_hash_free(grouping->labels);
    mt_hash_free(grouping->keys);
}

void mt_composition_make(const struct mt_report *report, const struct mt_model *model, const struct mt_account *account,
                         struct mt_composition *out) {
    *out = (struct mt_composition){.by = report->options->by};
    if (!account->host) out->in_use = mt_ledgers_in_use(mt_model_ledgers(model), account->device);
    struct division division = {
        .account = account,
        .out = out,
        .total = {.report = report, .by = out->by, .out = &out->total},
        .beside = {.report = report, .by = out->by, .out = &out->beside},
    };
    mt_by_prepare(report, model);
    mt_model_each_live(model, add, &division);
    finish(&division.total);
    finish(&division.beside);
}

static void clear_table(struct mt_group_table *table) {
    for (size_t i = 0; i < table->group_count; i++) free(table->groups[i].label);
    free(table->groups);
}

void mt_composition_clear(struct mt_composition *composition) {
    clear_table(&composition->total);
    clear_table(&composition->beside);
    *composition = (struct mt_composition){0};
}
