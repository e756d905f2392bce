/*
 * Kinds at the peak and over steps; see kind_table.h.
 */
#include "viewer/analysis/kind_table.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"

struct tracker {
    struct mt_report *report;
    struct mt_phases *phases;
    const struct mt_kinds *kinds;
    const struct mt_account *account;
    struct mt_kind_table *out;
    uint64_t now[MT_KINDS];
    struct mt_step_row row; // of the step that goes on
    uint64_t peak_index;
};

static bool is_beside(const struct mt_account *account, const struct mt_live *live) {
    return account->tensors && live->memory != MT_MEMORY_TENSOR;
}

static bool counts(const struct mt_account *account, const struct mt_live *live) {
    return mt_account_holds(account, live) && !live->segment;
}

static uint64_t cached_bytes(const struct mt_account *account, const struct mt_model *model) {
    const struct mt_device_ledgers *device = mt_ledgers_device(mt_model_ledgers(model), account->device);
    uint64_t held = device->segments.bytes, used = device->tensors.bytes;
    return account->tensors && held > used ? held - used : 0;
}

static void add(struct mt_kind_group *groups, const struct mt_verdict *verdict, uint64_t bytes) {
    size_t count;
    struct mt_kind_group *group = &groups[verdict - mt_verdicts(&count)];
    group->verdict = verdict;
    group->bytes += bytes;
    group->count++;
}

static int compose(void *user, const struct mt_live *live) {
    const struct tracker *tracker = user;
    if (!counts(tracker->account, live)) return 0;
    bool beside = is_beside(tracker->account, live);
    add(beside ? tracker->out->beside : tracker->out->total, mt_kinds_verdict(tracker->kinds, live), live->bytes);
    tracker->out->total_number += !beside;
    return 0;
}

static size_t without_empty(struct mt_kind_group *groups, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (groups[i].count) groups[kept++] = groups[i];
    return kept;
}

static bool equal_rows(const struct mt_step_row *a, const struct mt_step_row *b) {
    return a->total == b->total && a->cached == b->cached && memcmp(a->most, b->most, sizeof(a->most)) == 0;
}

static void close_row(struct tracker *tracker) {
    struct mt_kind_table *out = tracker->out;
    if (!tracker->row.total && !tracker->row.cached) return;
    struct mt_step_row *last = out->row_count ? &out->rows[out->row_count - 1] : NULL;
    // What was before the first step is no step.
    if (last && last->first && equal_rows(last, &tracker->row)) {
        last->last = tracker->row.last;
        return;
    }
    if (out->row_count > MT_STEP_ROWS) {
        out->row_count--;
        out->rows_left_out++;
    }
    mt_grow(&out->rows, &out->row_capacity, out->row_count + 1);
    out->rows[out->row_count++] = tracker->row;
}

static void raise_to(uint64_t *most, uint64_t now) {
    if (now > *most) *most = now;
}

static void note_now(struct tracker *tracker, const struct mt_model *model) {
    for (size_t i = 0; i < MT_KINDS; i++) raise_to(&tracker->row.most[i], tracker->now[i]);
    raise_to(&tracker->row.total, mt_account_tally(tracker->account, mt_model_ledgers(model))->bytes);
    raise_to(&tracker->row.cached, cached_bytes(tracker->account, model));
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct tracker *tracker = user;
    struct mt_phase_point point = mt_phases_follow(tracker->phases, model, change);
    if (!change->live || !mt_account_holds(tracker->account, change->live)) return 0;
    if (point.step != tracker->row.first) {
        close_row(tracker);
        tracker->row = (struct mt_step_row){.first = point.step, .last = point.step};
        if (change->kind == MT_CHANGE_ALLOCATED) note_now(tracker, model); // what the step finds
    }
    if (!change->live->segment) {
        uint64_t *now = &tracker->now[mt_kinds_verdict(tracker->kinds, change->live)->kind];
        *now = change->kind == MT_CHANGE_ALLOCATED ? *now + change->live->bytes : *now - change->live->bytes;
    }
    note_now(tracker, model);
    if (change->kind == MT_CHANGE_ALLOCATED && change->index == tracker->peak_index && tracker->out->peak_bytes) {
        mt_model_each_live(model, compose, tracker);
        tracker->out->cached = cached_bytes(tracker->account, model);
        tracker->out->peak_step = point.step;
    }
    return 0;
}

void mt_kind_table_make(struct mt_report *report, struct mt_phases *phases, const struct mt_kinds *kinds,
                        const struct mt_account *account, struct mt_kind_table *out) {
    const struct mt_tally *tally = mt_account_tally(account, mt_model_ledgers(report->end));
    size_t count;
    mt_verdicts(&count);
    *out = (struct mt_kind_table){.peak_bytes = tally->peak_bytes, .peak_time_ns = tally->peak_time_ns};
    out->total = mt_allocate(count * sizeof(*out->total));
    out->beside = mt_allocate(count * sizeof(*out->beside));
    struct tracker tracker = {
        .report = report,
        .phases = phases,
        .kinds = kinds,
        .account = account,
        .out = out,
        .peak_index = tally->peak_index,
    };
    mt_phases_restart(phases);
    mt_report_replay(report, observe, &tracker);
    close_row(&tracker);
    out->total_count = without_empty(out->total, count);
    out->beside_count = without_empty(out->beside, count);
}

void mt_kind_table_clear(struct mt_kind_table *table) {
    free(table->total);
    free(table->beside);
    free(table->rows);
    *table = (struct mt_kind_table){0};
}
