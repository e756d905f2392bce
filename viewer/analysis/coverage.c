/*
 * Counting what was seen; see coverage.h.
 */
#include "viewer/analysis/coverage.h"

#include "viewer/base/memory.h"

struct counting {
    struct mt_coverage_row *rows; // by API
    uint32_t limit;
    uint64_t last; // event + 1: one event can be several changes
};

// Written beside what the call itself did.
static bool is_aside(const struct mt_api *api, enum mt_effect effect) {
    if (effect == api->effect) return false;
    switch (effect) {
    case MT_EFFECT_SAMPLED:
    case MT_EFFECT_POOL_SAMPLED:
    case MT_EFFECT_POOL_CREATED:
        return true;
    case MT_EFFECT_ALLOCATED:
    case MT_EFFECT_FREED:
        return api->effect == MT_EFFECT_GRAPH; // memory that graphs share grew or shrank
    default:
        return false;
    }
}

static uint64_t bytes_of(const struct mt_change *change) {
    switch (change->kind) {
    case MT_CHANGE_ALLOCATED:
        return change->live->bytes;
    case MT_CHANGE_FREED: // an end that was not seen was not this call's doing
        return change->implied && change->event->effect == MT_EFFECT_ALLOCATED ? 0 : change->live->bytes;
    case MT_CHANGE_FAILED:
    case MT_CHANGE_UNKNOWN_FREE:
        return 0;
    case MT_CHANGE_NONE:
        break;
    }
    return change->event->effect == MT_EFFECT_FAILED ? 0 : change->event->bytes;
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct counting *counting = user;
    const struct mt_record_event *event = change->event;
    (void)model;
    if (event->api >= counting->limit || !counting->rows[event->api].api) return 0;
    struct mt_coverage_row *row = &counting->rows[event->api];
    row->bytes += bytes_of(change);
    if (counting->last == change->index + 1) return 0;
    counting->last = change->index + 1;
    if (change->kind == MT_CHANGE_FAILED) row->failed++;
    if (!is_aside(row->api, event->effect)) row->events++;
    return 0;
}

void mt_coverage_find(const struct mt_report *report, struct mt_coverage *out) {
    uint32_t limit = mt_definitions_api_limit(report->definitions);
    struct counting counting = {.rows = mt_allocate(limit * sizeof(*counting.rows)), .limit = limit};
    for (uint32_t id = 0; id < limit; id++) counting.rows[id].api = mt_definitions_api(report->definitions, id);
    mt_report_replay(report, observe, &counting);
    *out = (struct mt_coverage){.rows = counting.rows};
    for (uint32_t id = 0; id < limit; id++) {
        if (!counting.rows[id].api) continue;
        if (counting.rows[id].events) out->seen++;
        out->rows[out->count++] = counting.rows[id];
    }
}
