/*
 * --ledger: every change of the ledgers as one line, to the byte, as a program that kept its own would print it; what
 * each ledger holds at the end follows. For holding a trace against what a program knows, and for adding up in awk.
 *
 *     + BYTES MEMORY CALL             memory came          - BYTES MEMORY CALL             memory went
 *     ~ BYTES MEMORY CALL             asked for, captured  ! BYTES MEMORY CALL RESULT      the call failed
 *     @ DEVICE tensors BYTES peak BYTES segments BYTES physical BYTES allocator BYTES pools BYTES MARK
 *                                     an NVTX mark: what a framework's allocator handed out, now and at most, and
 *                                     holds; the two ledgers; what memory pools reserved
 *     = LEDGER live BYTES peak BYTES  the end
 *
 * Of all devices and the host together, or with --device of what is on that device.
 */
#include <inttypes.h>

#include "viewer/trace/effects.h"
#include "viewer/views/views.h"

static const char *const ledger_names[MT_LEDGERS] = {
    [MT_LEDGER_PHYSICAL] = "physical",
    [MT_LEDGER_ALLOCATOR] = "allocator",
    [MT_LEDGER_HOST] = "host",
};

struct ledger_view {
    const struct mt_report *report;
    FILE *out;
    uint64_t live[MT_LEDGERS], peak[MT_LEDGERS]; // over what is shown
};

static bool is_chosen(const struct ledger_view *view, uint32_t device) {
    int only = view->report->options->device;
    return only == MT_ALL_DEVICES || device == (uint32_t)only;
}

static void write_line(const struct ledger_view *view, char sign, uint64_t bytes, enum mt_memory memory, uint32_t api) {
    const struct mt_api *call = mt_definitions_api(view->report->definitions, api);
    fprintf(view->out, "%c %" PRIu64 " %s %s", sign, bytes, mt_memory_name(memory),
            call && call->name ? call->name : "-");
}

static void write_change(struct ledger_view *view, char sign, const struct mt_change *change) {
    const struct mt_live *live = change->live;
    bool on_host = live->ledger == MT_LEDGER_HOST && view->report->options->device != MT_ALL_DEVICES;
    // The blocks of graphs lie in what graphs share, which is here already.
    bool in_graphs = live->memory == MT_MEMORY_GRAPH && live->ledger == MT_LEDGER_NONE;
    if (on_host || in_graphs || !is_chosen(view, live->device)) return;
    write_line(view, sign, live->bytes, live->memory, change->event->api);
    fputc('\n', view->out);
    if (live->ledger == MT_LEDGER_NONE) return;
    uint64_t *total = &view->live[live->ledger];
    *total = sign == '+' ? *total + live->bytes : *total - live->bytes;
    if (*total > view->peak[live->ledger]) view->peak[live->ledger] = *total;
}

// What was asked for and not given, or not yet.
static void write_request(const struct ledger_view *view, char sign, const struct mt_record_event *event) {
    int64_t device = mt_definitions_context_device(view->report->definitions, event->context);
    if (event->present & (1u << MT_TAG_DEVICE)) device = (int64_t)event->tags[MT_TAG_DEVICE];
    if (!is_chosen(view, device > 0 ? (uint32_t)device : 0)) return;
    const struct mt_api *api = mt_definitions_api(view->report->definitions, event->api);
    enum mt_memory memory = event->present & (1u << MT_TAG_MEMORY) ? (enum mt_memory)event->tags[MT_TAG_MEMORY]
                            : api                                  ? api->memory
                                                                   : MT_MEMORY_NONE;
    write_line(view, sign, event->bytes, memory, event->api);
    if (sign == '!') fprintf(view->out, " %" PRIu64, event->tags[MT_TAG_RESULT]);
    fputc('\n', view->out);
}

static void write_mark(const struct ledger_view *view, const struct mt_model *model, uint64_t text) {
    const struct mt_ledgers *all = mt_model_ledgers(view->report->end);
    const char *mark = mt_definitions_string(view->report->definitions, (uint32_t)text);
    for (uint32_t i = 0; i < all->device_count; i++) {
        const struct mt_device_ledgers *device = mt_ledgers_device(mt_model_ledgers(model), i);
        if (!is_chosen(view, i) || !all->devices[i].used.allocations) continue;
        fprintf(view->out, "@ %u tensors %" PRIu64 " peak %" PRIu64 " segments %" PRIu64, i, device->tensors.bytes,
                device->tensors.peak_bytes, device->segments.bytes);
        fprintf(view->out, " physical %" PRIu64 " allocator %" PRIu64 " pools %" PRIu64 " %s\n",
                device->ledgers[MT_LEDGER_PHYSICAL].bytes, device->ledgers[MT_LEDGER_ALLOCATOR].bytes,
                device->pool_reserved, mark ? mark : "");
    }
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct ledger_view *view = user;
    if (change->kind == MT_CHANGE_ALLOCATED) write_change(view, '+', change);
    if (change->kind == MT_CHANGE_FREED) write_change(view, '-', change);
    if (change->kind == MT_CHANGE_FAILED) write_request(view, '!', change->event);
    bool captured = change->event->effect == MT_EFFECT_CAPTURED && change->event->bytes;
    if (change->kind == MT_CHANGE_NONE && captured) write_request(view, '~', change->event);
    if (change->event->effect == MT_EFFECT_MARKED) write_mark(view, model, change->event->tags[MT_TAG_TEXT]);
    return ferror(view->out);
}

void mt_view_ledger(struct mt_report *report, FILE *out) {
    struct ledger_view view = {.report = report, .out = out};
    mt_report_replay(report, observe, &view);
    for (size_t i = 0; i < MT_LEDGERS; i++)
        if (view.peak[i])
            fprintf(out, "= %s live %" PRIu64 " peak %" PRIu64 "\n", ledger_names[i], view.live[i], view.peak[i]);
}
