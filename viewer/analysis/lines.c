/*
 * Changes of the live set → blocks of rows per checkpoint; see lines.h.
 */
#include "viewer/analysis/lines.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/by.h"
#include "viewer/analysis/failures.h"
#include "viewer/base/hash.h"
#include "viewer/base/intern.h"
#include "viewer/base/memory.h"
#include "viewer/frameworks/shape.h"

struct row_entry {
    struct {
        uint64_t bytes;
        const char *shape, *api;
        const struct mt_place *place;
        uint32_t kind; // enum mt_row_kind
        uint32_t segment;
    } key;
    uint64_t count;
    UT_hash_handle hh;
};

struct tracker {
    struct mt_report *report;
    const struct mt_checkpoints *checkpoints;
    struct mt_phases *phases;
    const struct mt_account *account;
    const struct mt_line_listener *listener;
    struct row_entry *rows; // of the open block, in order of appearance
    uint64_t checkpoint;    // its path, or its mark
    uint32_t step;          // of the training, when the block began
    uint32_t last_step;     // at the event before
    bool by_steps;          // the block began with a step: the next one begins another
    bool started;
    struct mt_line_totals totals; // after the latest event
};

static size_t copy_rows(const struct tracker *tracker, enum mt_row_kind kind, struct mt_line_row *rows) {
    size_t count = 0;
    for (const struct row_entry *entry = tracker->rows; entry; entry = entry->hh.next) {
        if (entry->key.kind != kind) continue;
        rows[count] = (struct mt_line_row){
            .bytes = entry->key.bytes,
            .count = entry->count,
            .shape = entry->key.shape,
            .api = entry->key.api,
            .place = entry->key.place,
            .kind = kind,
            .segment = entry->key.segment,
        };
        count++;
    }
    return count;
}

static bool by_marks(const struct tracker *tracker) {
    return tracker->report->options->by->marks;
}

static uint64_t checkpoint_of(const struct tracker *tracker, const struct mt_model *model,
                              const struct mt_change *change) {
    if (by_marks(tracker)) return mt_model_mark(model, change).phase;
    const struct mt_site *site = mt_stacks_site(tracker->report->stacks, change->event->stack);
    return mt_checkpoint_of(tracker->checkpoints, site->path);
}

static const struct mt_place *place_of(const struct tracker *tracker) {
    uint32_t checkpoint = (uint32_t)tracker->checkpoint;
    if (!by_marks(tracker)) return mt_stacks_path(tracker->report->stacks, checkpoint).place;
    char *name = mt_phase_name(tracker->report->definitions, checkpoint);
    const struct mt_place *place = mt_symbols_named(tracker->report->symbols, name);
    free(name);
    return place;
}

static const char *shape_of(const struct tracker *tracker, const struct mt_live *live) {
    char shape[MT_SHAPE_BYTES];
    const char *label = live->label ? mt_definitions_string(tracker->report->definitions, live->label) : NULL;
    if (!label || !mt_shape_of(label, live->bytes, shape)) return NULL;
    return mt_intern(tracker->report->texts, shape);
}

static void close_block(struct tracker *tracker) {
    size_t count = HASH_COUNT(tracker->rows);
    if (count == 0) return;
    struct mt_line_block *block = mt_allocate(sizeof(*block) + count * sizeof(*block->rows));
    block->at = place_of(tracker);
    block->since = by_marks(tracker) && tracker->checkpoint & MT_PHASE_SINCE;
    for (enum mt_row_kind kind = MT_ROW_ALLOCATED; kind <= MT_ROW_REFUSED; kind++)
        block->row_count += copy_rows(tracker, kind, block->rows + block->row_count);
    mt_hash_free(tracker->rows);
    tracker->listener->block(tracker->listener->user, block, tracker->totals);
}

static void add_row(struct tracker *tracker, const struct mt_change *change) {
    const struct mt_record_event *event = change->event;
    const struct mt_live *live = change->live;
    const struct mt_site *site = mt_stacks_site(tracker->report->stacks, event->stack);
    struct row_entry *entry, wanted = {0};
    wanted.key.bytes = live ? live->bytes : event->tags[MT_TAG_BYTES];
    wanted.key.shape = live ? shape_of(tracker, live) : NULL;
    wanted.key.api = mt_stacks_api(tracker->report->stacks, event->stack, event->api);
    wanted.key.place = site->user;
    wanted.key.kind = !live ? MT_ROW_REFUSED : change->kind == MT_CHANGE_FREED ? MT_ROW_FREED : MT_ROW_ALLOCATED;
    wanted.key.segment = live && live->segment;
    HASH_FIND(hh, tracker->rows, &wanted.key, sizeof(wanted.key), entry);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry));
        entry->key = wanted.key;
        HASH_ADD(hh, tracker->rows, key, sizeof(entry->key), entry);
    }
    entry->count++;
}

static struct mt_line_totals totals_of(const struct tracker *tracker, const struct mt_model *model) {
    const struct mt_ledgers *ledgers = mt_model_ledgers(model);
    return (struct mt_line_totals){
        .used = mt_account_tally(tracker->account, ledgers)->bytes,
        .in_use = tracker->account->host ? 0 : mt_ledgers_in_use(ledgers, tracker->account->device),
    };
}

// Begins a block where the line has changed, or a step has begun on a line that goes on for steps.
static void move_to(struct tracker *tracker, uint64_t checkpoint, uint32_t step) {
    bool moved = checkpoint != tracker->checkpoint;
    bool begins = step != tracker->last_step;
    tracker->last_step = step;
    // What is made for a step may come before it, on the same line; after a second one the line holds a loop.
    if (!moved && step <= tracker->step + !tracker->by_steps) return;
    close_block(tracker);
    tracker->by_steps = begins;
    tracker->checkpoint = checkpoint;
    tracker->step = step;
}

static bool is_shown(const struct tracker *tracker, const struct mt_change *change) {
    if (change->live) return mt_account_holds(tracker->account, change->live);
    uint32_t device;
    return mt_failure_is_exhaustion(tracker->report, change, &device) && !tracker->account->host &&
           tracker->account->device == device;
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct tracker *tracker = user;
    uint32_t step = tracker->phases ? mt_phases_follow(tracker->phases, model, change).step : 0;
    if (is_shown(tracker, change)) {
        uint64_t checkpoint = checkpoint_of(tracker, model, change);
        if (!tracker->started) tracker->listener->start(tracker->listener->user, tracker->totals);
        tracker->started = true;
        move_to(tracker, checkpoint, step);
        add_row(tracker, change);
    }
    tracker->totals = totals_of(tracker, model);
    return 0;
}

void mt_lines_run(struct mt_report *report, const struct mt_checkpoints *checkpoints, struct mt_phases *phases,
                  const struct mt_account *account, const struct mt_line_listener *listener) {
    bool by_mark = report->options->by->marks;
    if (!by_mark) mt_phases_restart(phases);
    struct tracker tracker = {
        .report = report,
        .checkpoints = checkpoints,
        .phases = by_mark ? NULL : phases,
        .account = account,
        .listener = listener,
    };
    mt_report_replay(report, observe, &tracker);
    if (!tracker.started) listener->start(listener->user, tracker.totals);
    close_block(&tracker);
}

static bool equal_rows(const struct mt_line_row *a, const struct mt_line_row *b) {
    return a->bytes == b->bytes && a->count == b->count && a->shape == b->shape && a->api == b->api &&
           a->place == b->place && a->kind == b->kind && a->segment == b->segment;
}

bool mt_line_block_equal(const struct mt_line_block *a, const struct mt_line_block *b) {
    if (a->at != b->at || a->since != b->since || a->row_count != b->row_count) return false;
    for (size_t i = 0; i < a->row_count; i++)
        if (!equal_rows(&a->rows[i], &b->rows[i])) return false;
    return true;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

uint64_t mt_line_block_hash(const struct mt_line_block *block) {
    uint64_t hash = mix(block->row_count, (uintptr_t)block->at);
    for (size_t i = 0; i < block->row_count; i++) {
        const struct mt_line_row *row = &block->rows[i];
        hash = mix(hash, row->bytes);
        hash = mix(hash, row->count << 2 | row->kind);
        hash = mix(hash, (uintptr_t)row->place);
        hash = mix(hash, (uintptr_t)row->api ^ (uintptr_t)row->shape << 1);
    }
    return hash;
}
