/*
 * Criteria to group allocations by; see by.h.
 */
#include "viewer/analysis/by.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/facts.h"
#include "viewer/base/memory.h"
#include "viewer/base/printable.h"
#include "viewer/symbols/places.h"

static const struct mt_site *site_of(const struct mt_report *report, const struct mt_live *live) {
    return mt_stacks_site(report->stacks, live->stack);
}

static uint64_t key_stack(const struct mt_report *report, const struct mt_live *live) {
    (void)report;
    return live->stack;
}

// Takes the text over. Names of modules come as they are.
static char *printable(char *text) {
    char *label = mt_printable(text, strlen(text));
    free(text);
    return label;
}

// The call site; and, where a library asked the driver for the memory on the program's behalf, which.
static char *label_line(const struct mt_report *report, const struct mt_live *live) {
    const struct mt_site *site = site_of(report, live);
    struct mt_place_text place = mt_place_text(site->user);
    bool own = !site->origin->module || site->origin->module == site->user->module;
    if (own || live->memory == MT_MEMORY_TENSOR) return mt_format_text("%s", place.text);
    return printable(mt_format_text("%s (%s)", place.text, mt_base_name(site->origin->module)));
}

static char *label_function(const struct mt_report *report, const struct mt_live *live) {
    return mt_format_text("%s", mt_place_function_text(site_of(report, live)->user).text);
}

static char *label_module(const struct mt_report *report, const struct mt_live *live) {
    const struct mt_place *place = site_of(report, live)->origin;
    if (place->module) return printable(mt_format_text("%s", mt_base_name(place->module)));
    return printable(mt_format_text("%s", place->file_name ? place->file_name->text : "unknown"));
}

static uint64_t key_thread(const struct mt_report *report, const struct mt_live *live) {
    (void)report;
    return live->thread;
}

static char *label_thread(const struct mt_report *report, const struct mt_live *live) {
    const char *name = mt_definitions_thread_name(report->definitions, live->thread);
    return name ? mt_format_text("%u %s", live->thread, name) : mt_format_text("%u", live->thread);
}

// A framework's report of its blocks comes without a stream.
static bool has_no_stream(const struct mt_live *live) {
    return live->memory == MT_MEMORY_TENSOR && !live->stream;
}

static uint64_t key_stream(const struct mt_report *report, const struct mt_live *live) {
    (void)report;
    return has_no_stream(live) ? UINT64_MAX : live->stream;
}

// The handles of cuda.h that name no stream object of their own.
static char *label_stream(const struct mt_report *report, const struct mt_live *live) {
    bool torch = mt_definitions_fact(report->definitions, MT_FACT_TORCH);
    if (has_no_stream(live)) return mt_format_text("not told by %s", torch ? "PyTorch" : "the framework");
    switch (live->stream) {
    case 0:
        return mt_format_text("default");
    case 1:
        return mt_format_text("legacy default");
    case 2:
        return mt_format_text("per-thread default");
    default:
        return mt_format_text("0x%llx", (unsigned long long)live->stream);
    }
}

static uint64_t key_size(const struct mt_report *report, const struct mt_live *live) {
    (void)report;
    return live->bytes;
}

static char *label_size(const struct mt_report *report, const struct mt_live *live) {
    (void)report;
    return mt_format_text("%llu", (unsigned long long)live->bytes);
}

static uint64_t key_mark(const struct mt_report *report, const struct mt_live *live) {
    (void)report;
    return live->phase;
}

static char *label_mark(const struct mt_report *report, const struct mt_live *live) {
    char *name = mt_phase_name(report->definitions, live->phase);
    if (!(live->phase & MT_PHASE_SINCE)) return name;
    char *label = mt_format_text("since %s", name);
    free(name);
    return label;
}

static const struct mt_by criteria[] = {
    {"line", "call sites", "call site", label_line, key_stack, false},
    {"function", "functions", "function", label_function, key_stack, false},
    {"module", "modules", "module", label_module, key_stack, false},
    {"thread", "threads", "thread", label_thread, key_thread, false},
    {"stream", "streams", "stream", label_stream, key_stream, false},
    {"size", "sizes", "size", label_size, key_size, false},
    {"mark", "NVTX ranges", "NVTX range", label_mark, key_mark, true},
};

static int work_out(void *user, const struct mt_live *live) {
    const struct mt_report *report = user;
    site_of(report, live);
    return 0;
}

void mt_by_prepare(const struct mt_report *report, const struct mt_model *model) {
    if (report->options->by->key == key_stack) mt_model_each_live(model, work_out, (void *)report);
}

const struct mt_by *mt_by_all(size_t *count) {
    *count = sizeof(criteria) / sizeof(*criteria);
    return criteria;
}

const struct mt_by *mt_by_find(const char *name) {
    for (size_t i = 0; i < sizeof(criteria) / sizeof(*criteria); i++)
        if (strcmp(criteria[i].name, name) == 0) return &criteria[i];
    return NULL;
}

const struct mt_by *mt_by_default(void) {
    return &criteria[0];
}
