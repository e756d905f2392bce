/*
 * Grouping a live set; see composition.h.
 */
#include "viewer/composition.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "viewer/memory.h"

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

struct grouping {
    const struct mt_report *report;
    const struct mt_account *account;
    struct mt_composition *out;
    struct label_entry *labels;
    struct key_entry *keys;
};

static size_t group_of_label(struct grouping *grouping, char *label) {
    struct mt_composition *out = grouping->out;
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
    const struct mt_by *by = grouping->out->by;
    uint64_t key = by->key(grouping->report, live);
    struct key_entry *entry;
    HASH_FIND(hh, grouping->keys, &key, sizeof(key), entry);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry));
        entry->key = key;
        entry->group = group_of_label(grouping, by->label(grouping->report, live));
        HASH_ADD(hh, grouping->keys, key, sizeof(entry->key), entry);
    }
    return entry->group;
}

static int add(void *user, const struct mt_live *live) {
    struct grouping *grouping = user;
    struct mt_composition *out = grouping->out;
    if (!mt_account_holds(grouping->account, live)) return 0;
    if (live->segment) {
        out->segment_bytes += live->taken;
        out->segment_count++;
        return 0;
    }
    size_t index = group_of(grouping, live); // may move out->groups
    struct mt_group *group = &out->groups[index];
    group->bytes += live->bytes;
    group->count++;
    out->bytes += live->bytes;
    out->count++;
    return 0;
}

static int most_bytes_first(const void *left, const void *right) {
    const struct mt_group *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return strcmp(a->label, b->label);
}

void mt_composition_make(const struct mt_report *report, const struct mt_model *model, const struct mt_account *account,
                         struct mt_composition *out) {
    *out = (struct mt_composition){.by = report->options->by};
    if (!account->host) out->in_use = mt_books_in_use(mt_model_books(model), account->device);
    struct grouping grouping = {.report = report, .account = account, .out = out};
    mt_model_each_live(model, add, &grouping);
    if (out->group_count) qsort(out->groups, out->group_count, sizeof(*out->groups), most_bytes_first);

    struct label_entry *label, *next_label;
    HASH_ITER(hh, grouping.labels, label, next_label) {
        HASH_DEL(grouping.labels, label);
        free(label);
    }
    struct key_entry *key, *next_key;
    HASH_ITER(hh, grouping.keys, key, next_key) {
        HASH_DEL(grouping.keys, key);
        free(key);
    }
}

void mt_composition_clear(struct mt_composition *composition) {
    for (size_t i = 0; i < composition->group_count; i++) free(composition->groups[i].label);
    free(composition->groups);
    *composition = (struct mt_composition){0};
}
