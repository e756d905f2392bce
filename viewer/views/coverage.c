/*
 * --coverage: the tracer's table of entry points against this trace: what was seen, what never was, and what is left
 * out on purpose.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/facts.h"
#include "viewer/analysis/coverage.h"
#include "viewer/trace/effects.h"
#include "viewer/views/views.h"

#define NAME "  %-40s %-16s %-10s"

// An entry point with no effect of its own is watched for what it changes on the side.
static const char *effect_of(const struct mt_api *api) {
    return api->effect == MT_EFFECT_NONE ? "watched" : mt_effect_name(api->effect);
}

static const char *memory_of(const struct mt_api *api) {
    return api->memory == MT_MEMORY_NONE ? "" : mt_memory_name(api->memory);
}

static void write_seen(const struct mt_coverage *coverage, FILE *out) {
    fprintf(out, NAME " %10s %8s %20s\n", "entry point", "effect", "memory", "events", "failed", "bytes");
    for (size_t i = 0; i < coverage->count; i++) {
        const struct mt_coverage_row *row = &coverage->rows[i];
        if (!row->events) continue;
        fprintf(out, NAME " %10" PRIu64 " %8" PRIu64 " %20s\n", row->api->name, effect_of(row->api),
                memory_of(row->api), row->events, row->failed, mt_exact(row->bytes).text);
    }
}

static void write_never_seen(const struct mt_coverage *coverage, FILE *out) {
    fprintf(out, "\nNever seen in this trace:\n");
    for (size_t i = 0; i < coverage->count; i++) {
        const struct mt_coverage_row *row = &coverage->rows[i];
        if (row->events) continue;
        const char *memory = memory_of(row->api);
        fprintf(out, "  %-40s %-*s%s\n", row->api->name, *memory ? 17 : 0, effect_of(row->api), memory);
    }
}

static void write_declined(const struct mt_report *report, FILE *out) {
    size_t count;
    const struct mt_fact *facts = mt_definitions_facts(report->definitions, &count);
    const char *heading = "\nNot watched, on purpose:\n";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(facts[i].key, MT_FACT_DECLINED) != 0) continue;
        const char *reason = strstr(facts[i].value, ": ");
        int name = reason ? (int)(reason - facts[i].value) : (int)strlen(facts[i].value);
        fprintf(out, "%s  %-40.*s %s\n", heading, name, facts[i].value, reason ? reason + 2 : "");
        heading = "";
    }
}

static void write_feeds(const struct mt_report *report, FILE *out) {
    const char *feed = mt_definitions_fact(report->definitions, MT_FACT_FEED);
    const char *cupti = mt_definitions_fact(report->definitions, MT_FACT_ONLY_CUPTI);
    const char *hooks = mt_definitions_fact(report->definitions, MT_FACT_ONLY_HOOKS);
    if (feed) fprintf(out, "Recorded through %s", feed);
    if (feed && cupti && hooks) fprintf(out, "; %s calls were seen by CUPTI only, %s by the hooks only", cupti, hooks);
    if (feed) fprintf(out, ".\n");
    const char *unseen = mt_definitions_fact(report->definitions, MT_FACT_UNSEEN);
    if (unseen) fprintf(out, "Some calls were not seen: %s. MEMTRACE_FEED=cupti sees them.\n", unseen);
    const char *lost = mt_definitions_fact(report->definitions, MT_FACT_FEED_LOST);
    if (lost) fprintf(out, "The feed ended before the process did: %s. What followed was not seen.\n", lost);
}

void mt_view_coverage(struct mt_report *report, FILE *out) {
    struct mt_coverage coverage;
    mt_coverage_find(report, &coverage);
    fprintf(out, "Coverage of %s: %zu of %zu entry points were seen\n", report->path, coverage.seen, coverage.count);
    write_feeds(report, out);
    write_seen(&coverage, out);
    write_never_seen(&coverage, out);
    write_declined(report, out);
    fprintf(out, "\n");
    free(coverage.rows);
}
