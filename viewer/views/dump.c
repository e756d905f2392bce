/*
 * --dump: every event as one line, for grep and awk and for finding out what a trace really holds:
 *
 *     SECONDS THREAD EFFECT API [key=value …] [| INNERMOST FRAME < … < OUTERMOST FRAME]
 */
#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"
#include "viewer/base/printable.h"
#include "viewer/symbols/demangle.h"
#include "viewer/symbols/places.h"
#include "viewer/trace/effects.h"
#include "viewer/views/views.h"

struct dump {
    struct mt_report *report;
    FILE *out;
};

static void write_launch(const struct dump *dump, uint32_t id) {
    const struct mt_launch *launch = mt_definitions_launch(dump->report->definitions, id);
    const char *mangled = launch ? mt_definitions_kernel(dump->report->definitions, launch->kernel) : NULL;
    if (!launch) return;
    char *kernel = mt_demangle(mangled ? mangled : "unknown");
    fprintf(dump->out, " grid=%u,%u,%u block=%u,%u,%u shared=%u kernel=%s", launch->grid[0], launch->grid[1],
            launch->grid[2], launch->block[0], launch->block[1], launch->block[2], launch->shared_bytes, kernel);
    free(kernel);
}

static void write_tag(const struct dump *dump, uint32_t tag, uint64_t value) {
    bool handle = tag == MT_TAG_ADDRESS || tag == MT_TAG_OBJECT || tag == MT_TAG_POOL || tag == MT_TAG_GRAPH;
    bool text = tag == MT_TAG_TEXT || tag == MT_TAG_DOMAIN;
    const char *string = text ? mt_definitions_raw_string(dump->report->definitions, (uint32_t)value) : NULL;
    if (string) {
        char *quoted = mt_quoted(string, strlen(string));
        fprintf(dump->out, " %s=%s", mt_tag_name(tag), quoted);
        free(quoted);
        return;
    }
    fprintf(dump->out, handle ? " %s=0x%llx" : " %s=%llu", mt_tag_name(tag), (unsigned long long)value);
}

static void write_fields(const struct dump *dump, const struct mt_record_event *event) {
    if (event->lost) fprintf(dump->out, " count=%llu", (unsigned long long)event->lost);
    bool compact = event->present == 0;
    if (compact && (event->effect == MT_EFFECT_ALLOCATED || event->effect == MT_EFFECT_FREED))
        write_tag(dump, MT_TAG_ADDRESS, event->address);
    if (compact && event->effect == MT_EFFECT_ALLOCATED) write_tag(dump, MT_TAG_BYTES, event->bytes);
    for (uint32_t tag = 1; tag < 32; tag++)
        if (event->present & (1u << tag) && mt_tag_name(tag)) write_tag(dump, tag, event->tags[tag]);
    if (event->context) fprintf(dump->out, " context=%u", event->context);
    if (event->stream) fprintf(dump->out, " stream=0x%llx", (unsigned long long)event->stream);
    if (event->launch) write_launch(dump, event->launch);
}

static void write_stack(const struct dump *dump, uint32_t stack) {
    const char *separator = " | ";
    for (uint32_t id = stack; id;) {
        const struct mt_node *node = mt_definitions_node(dump->report->definitions, id);
        if (!node) break;
        struct mt_places places = mt_symbols_node(dump->report->symbols, node);
        for (size_t i = 0; i < places.count; i++) {
            fprintf(dump->out, "%s%s", separator, mt_place_text(places.items[i]).text);
            separator = " < ";
        }
        id = node->parent;
    }
}

// A watched call may do nothing to memory, as cuMemSetAccess.
static const char *what_happened(const struct mt_record_event *event) {
    return event->effect == MT_EFFECT_NONE && !event->lost ? "called" : mt_effect_name(event->effect);
}

static int write_event(void *user, const struct mt_record_event *event) {
    struct dump *dump = user;
    const struct mt_api *api = mt_definitions_api(dump->report->definitions, event->api);
    fprintf(dump->out, "%.9f %u %s %s", mt_report_seconds(dump->report, event->time_ns), event->thread,
            what_happened(event), api && *api->name ? api->name : "-");
    write_fields(dump, event);
    write_stack(dump, event->stack);
    fputc('\n', dump->out);
    return ferror(dump->out);
}

void mt_view_dump(struct mt_report *report, FILE *out) {
    struct dump dump = {.report = report, .out = out};
    mt_reader_events(report->reader, write_event, &dump);
}
