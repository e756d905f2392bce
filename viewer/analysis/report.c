/*
 * Opening a trace for reporting; see report.h.
 */
#include "viewer/analysis/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"

static char *why_not(enum mt_open_status status, const char *path, uint32_t version) {
    switch (status) {
    case MT_OPEN_SYSTEM:
        return mt_format_text("%s: %s", path, strerror(errno));
    case MT_OPEN_EMPTY:
        return mt_format_text("%s: the file is empty", path);
    case MT_OPEN_FOREIGN:
        return mt_format_text("%s: not a memtrace file", path);
    case MT_OPEN_TRUNCATED:
        return mt_format_text("%s: a trace cut off inside its header; nothing to read", path);
    case MT_OPEN_NEWER:
        return mt_format_text("%s: written by a newer memtrace, in format version %u or with features of it; this "
                              "one reads up to version %u",
                              path, version, MT_VERSION);
    case MT_OPEN_CORRUPT:
        return mt_format_text("%s: the header is damaged; nothing to read", path);
    case MT_OPEN_OK:
        break;
    }
    return mt_format_text("%s: cannot be read", path);
}

struct pass {
    struct mt_model *model;
    mt_observer_fn *observer;
    void *user;
};

static int apply(void *user, const struct mt_record_event *event) {
    struct pass *pass = user;
    return mt_model_apply(pass->model, event, pass->observer, pass->user);
}

static void check_figures(struct mt_survey *survey, const struct mt_model *model, const struct mt_record_event *event) {
    const uint64_t *tags = event->tags;
    if (event->effect != MT_EFFECT_POOL_SAMPLED || tags[MT_TAG_MEMORY] != MT_MEMORY_TENSOR) return;
    const struct mt_device_ledgers *device = mt_ledgers_device(mt_model_ledgers(model), (uint32_t)tags[MT_TAG_DEVICE]);
    struct mt_wrong_figures figures = {
        .time_ns = event->time_ns,
        .allocated = device->tensors.bytes,
        .allocated_there = tags[MT_TAG_ALLOCATED],
        .reserved = device->segments.bytes,
        .reserved_there = tags[MT_TAG_ALLOCATOR_RESERVED],
    };
    survey->figures++;
    if (figures.allocated == figures.allocated_there && figures.reserved == figures.reserved_there) return;
    if (survey->wrong_figures++ == 0) survey->first_wrong = figures;
}

static int survey_change(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct mt_survey *survey = user;
    check_figures(survey, model, change->event);
    if (change->kind == MT_CHANGE_UNKNOWN_FREE) survey->unknown_frees++;
    if (change->kind != MT_CHANGE_FREED || !change->implied) return 0;
    if (change->event->effect == MT_EFFECT_CONTEXT_ENDED || change->event->effect == MT_EFFECT_DEVICE_RESET)
        survey->implied_frees++;
    else
        survey->unseen_ends++;
    return 0;
}

static void note(struct mt_survey *survey, const struct mt_record_event *event) {
    uint32_t text = (uint32_t)event->tags[MT_TAG_TEXT];
    if (event->effect != MT_EFFECT_NOTE && event->effect != MT_EFFECT_HANDED_OVER) return;
    for (uint32_t i = 0; i < survey->note_count; i++)
        if (survey->notes[i] == text) return;
    if (survey->note_count < MT_NOTE_SLOTS) survey->notes[survey->note_count++] = text;
}

struct survey_pass {
    struct pass pass;
    struct mt_survey *survey;
    struct mt_ends *endings;
};

static int survey_event(void *user, const struct mt_record_event *event) {
    struct survey_pass *pass = user;
    struct mt_survey *survey = pass->survey;
    survey->lost += event->lost;
    mt_ends_follow(pass->endings, event);
    note(survey, event);
    if (event->effect != MT_EFFECT_NONE) {
        if (survey->events == 0) survey->first_time_ns = event->time_ns;
        survey->last_time_ns = event->time_ns;
        survey->events++;
        survey->effects[(size_t)event->effect % MT_EFFECT_SLOTS]++;
    }
    return apply(&pass->pass, event);
}

static const struct mt_segments *segments_of(const struct mt_report *report) {
    return report->segments.count ? &report->segments : NULL;
}

bool mt_report_open(const char *path, const struct mt_options *options, struct mt_report *out, char **error) {
    uint32_t version = 0;
    struct mt_reader *reader = NULL;
    enum mt_open_status status = mt_reader_open(path, &reader, &version);
    if (status != MT_OPEN_OK) {
        *error = why_not(status, path, version);
        return false;
    }
    *out = (struct mt_report){.path = path, .options = options, .reader = reader};
    out->definitions = mt_definitions_load(reader);
    out->symbols = mt_symbols_new(out->definitions, options->symfs);
    out->endings = mt_ends_new(out->definitions);
    out->stacks = mt_stacks_new(out->definitions, out->symbols, out->endings, options->user_code);
    out->texts = mt_intern_new();
    mt_segments_find(reader, out->definitions, &out->segments);
    out->end = mt_model_new(out->definitions, segments_of(out));
    struct survey_pass pass = {{out->end, survey_change, &out->survey}, &out->survey, out->endings};
    mt_reader_events(reader, survey_event, &pass);
    return true;
}

void mt_report_close(struct mt_report *report) {
    mt_model_free(report->end);
    free(report->segments.indices);
    mt_intern_free(report->texts);
    mt_stacks_free(report->stacks);
    mt_ends_free(report->endings);
    mt_symbols_free(report->symbols);
    mt_definitions_free(report->definitions);
    mt_reader_close(report->reader);
}

int mt_report_replay(const struct mt_report *report, mt_observer_fn *observer, void *user) {
    struct pass pass = {
        .model = mt_model_new(report->definitions, segments_of(report)),
        .observer = observer,
        .user = user,
    };
    int status = mt_reader_events(report->reader, apply, &pass);
    mt_model_free(pass.model);
    return status;
}

struct mt_account mt_account_of_device(const struct mt_report *report, uint32_t device) {
    const struct mt_device_ledgers *ledgers = mt_ledgers_device(mt_model_ledgers(report->end), device);
    return (struct mt_account){.device = device, .tensors = ledgers->tensors.allocations > 0};
}

bool mt_account_holds(const struct mt_account *account, const struct mt_live *live) {
    if (account->host) return live->ledger == MT_LEDGER_HOST;
    return live->device == account->device &&
           (live->ledger == MT_LEDGER_PHYSICAL || live->ledger == MT_LEDGER_ALLOCATOR);
}

bool mt_account_totals(const struct mt_account *account, const struct mt_live *live) {
    bool beside = account->tensors && live->memory != MT_MEMORY_TENSOR;
    return mt_account_holds(account, live) && !live->segment && !beside;
}

const struct mt_tally *mt_account_tally(const struct mt_account *account, const struct mt_ledgers *ledgers) {
    if (account->host) return &ledgers->host;
    const struct mt_device_ledgers *device = mt_ledgers_device(ledgers, account->device);
    return account->tensors ? &device->tensors : &device->used;
}

char *mt_account_name(const struct mt_account *account, const struct mt_report *report) {
    if (account->host) return mt_format_text("Host memory (pinned, registered, managed)");
    const struct mt_device *device = mt_definitions_device(report->definitions, account->device);
    if (!device || !*device->name) return mt_format_text("Device %u", account->device);
    return mt_format_text("Device %u (%s)", account->device, device->name);
}

static bool was_used(const struct mt_device_ledgers *ledgers) {
    return ledgers->used.allocations || ledgers->ledgers[MT_LEDGER_PHYSICAL].allocations || ledgers->sampled;
}

struct mt_account *mt_report_accounts(const struct mt_report *report, uint32_t *count) {
    const struct mt_ledgers *ledgers = mt_model_ledgers(report->end);
    int only = report->options->device;
    struct mt_account *accounts = mt_allocate(((size_t)ledgers->device_count + 1) * sizeof(*accounts)); // and the host
    *count = 0;
    for (uint32_t device = 0; device < ledgers->device_count; device++) {
        if (only != MT_ALL_DEVICES && (uint32_t)only != device) continue;
        if (only == MT_ALL_DEVICES && !was_used(&ledgers->devices[device])) continue;
        accounts[(*count)++] = mt_account_of_device(report, device);
    }
    if (only == MT_ALL_DEVICES && ledgers->host.allocations) accounts[(*count)++] = (struct mt_account){.host = true};
    return accounts;
}

void mt_report_nothing(const struct mt_report *report, FILE *out) {
    int only = report->options->device;
    if (only == MT_ALL_DEVICES)
        fprintf(out, "No allocation of device or pinned memory was recorded.\n\n");
    else
        fprintf(out, "Device %d does not occur in this trace.\n\n", only);
}

double mt_report_seconds(const struct mt_report *report, uint64_t time_ns) {
    uint64_t start = mt_reader_header(report->reader)->start_monotonic_ns;
    return time_ns > start ? (double)(time_ns - start) / 1e9 : 0;
}
