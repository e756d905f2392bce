/*
 * Following a live set to its end; see lifetimes.h.
 */
#include "viewer/analysis/lifetimes.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/by.h"
#include "viewer/base/hash.h"
#include "viewer/base/memory.h"
#include "viewer/symbols/places.h"

// One allocation that was live then and still is.
struct member {
    uint64_t index; // of the event that made it
    uint64_t bytes, made_ns;
    const char *label;
    UT_hash_handle hh;
};

struct row_entry {
    struct {
        const char *label, *end;
    } key;
    size_t row;
    UT_hash_handle hh;
};

struct label_entry {
    uint64_t key; // of the group
    const char *label;
    UT_hash_handle hh;
};

struct mt_lifetimes {
    const struct mt_report *report;
    const struct mt_account *account;
    uint64_t time_ns;
    struct member *members;
    struct label_entry *labels;
    struct row_entry *entries;
    struct mt_lifetimes_row *rows;
    size_t row_count, row_capacity;
};

struct mt_lifetimes *mt_lifetimes_new(const struct mt_report *report) {
    struct mt_lifetimes *lives = mt_allocate(sizeof(*lives));
    lives->report = report;
    return lives;
}

static const char *label_of(struct mt_lifetimes *lives, const struct mt_live *live) {
    const struct mt_report *report = lives->report;
    uint64_t key = report->options->by->key(report, live);
    struct label_entry *entry;
    HASH_FIND(hh, lives->labels, &key, sizeof(key), entry);
    if (entry) return entry->label;
    char *label = report->options->by->label(report, live);
    entry = mt_allocate(sizeof(*entry));
    entry->key = key;
    entry->label = mt_intern(report->texts, label);
    free(label);
    HASH_ADD(hh, lives->labels, key, sizeof(entry->key), entry);
    return entry->label;
}

static int take(void *user, const struct mt_live *live) {
    struct mt_lifetimes *lives = user;
    if (!mt_account_totals(lives->account, live)) return 0;
    struct member *member = mt_allocate(sizeof(*member));
    *member = (struct member){
        .index = live->index, .bytes = live->bytes, .made_ns = live->time_ns, .label = label_of(lives, live)};
    HASH_ADD(hh, lives->members, index, sizeof(member->index), member);
    return 0;
}

void mt_lifetimes_take(struct mt_lifetimes *lives, const struct mt_model *model, const struct mt_account *account,
                       uint64_t time_ns) {
    lives->account = account;
    lives->time_ns = time_ns;
    mt_model_each_live(model, take, lives);
}

static struct mt_lifetimes_row *row_of(struct mt_lifetimes *lives, const char *label, const char *end) {
    struct row_entry *entry, wanted = {.key = {label, end}};
    HASH_FIND(hh, lives->entries, &wanted.key, sizeof(wanted.key), entry);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry));
        entry->key = wanted.key;
        entry->row = lives->row_count++;
        mt_grow(&lives->rows, &lives->row_capacity, lives->row_count);
        lives->rows[entry->row] = (struct mt_lifetimes_row){.label = label, .end = end};
        HASH_ADD(hh, lives->entries, key, sizeof(entry->key), entry);
    }
    return &lives->rows[entry->row];
}

static uint64_t since(uint64_t later, uint64_t earlier) {
    return later > earlier ? later - earlier : 0;
}

static void finish(struct mt_lifetimes *lives, struct member *member, const char *end, uint64_t end_ns) {
    struct mt_lifetimes_row *row = row_of(lives, member->label, end);
    uint64_t before = since(lives->time_ns, member->made_ns), after = since(end_ns, lives->time_ns);
    row->bytes += member->bytes;
    row->count++;
    if (before > row->before_ns) row->before_ns = before;
    if (after > row->after_ns) row->after_ns = after;
    HASH_DEL(lives->members, member);
    free(member);
}

void mt_lifetimes_follow(struct mt_lifetimes *lives, const struct mt_change *change) {
    struct member *member;
    if (change->kind != MT_CHANGE_FREED || !lives->members) return;
    HASH_FIND(hh, lives->members, &change->live->index, sizeof(change->live->index), member);
    if (!member) return;
    const struct mt_report *report = lives->report;
    struct mt_place_text end = mt_place_text(mt_stacks_site(report->stacks, change->event->stack)->user);
    finish(lives, member, mt_intern(report->texts, end.text), change->event->time_ns);
}

static int most_bytes_first(const void *left, const void *right) {
    const struct mt_lifetimes_row *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    if (a->label != b->label) return strcmp(a->label, b->label);
    return strcmp(a->end ? a->end : "", b->end ? b->end : "");
}

const struct mt_lifetimes_row *mt_lifetimes_rows(struct mt_lifetimes *lives, size_t *count) {
    while (lives->members) finish(lives, lives->members, NULL, lives->time_ns);
    if (lives->row_count) qsort(lives->rows, lives->row_count, sizeof(*lives->rows), most_bytes_first);
    *count = lives->row_count;
    return lives->rows;
}

void mt_lifetimes_free(struct mt_lifetimes *lives) {
    if (!lives) return;
    mt_hash_free(lives->members);
    mt_hash_free(lives->labels);
    mt_hash_free(lives->entries);
    free(lives->rows);
    free(lives);
}
