/*
 * Notices; see notices.h.
 */
#include "viewer/analysis/notices.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "tracer/facts.h"

static bool has_module(const struct mt_report *report, const char *name) {
    size_t count;
    const struct mt_module *modules = mt_definitions_modules(report->definitions, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(mt_base_name(modules[i].path), name) == 0) return true;
    return false;
}

const char *mt_notice_tensors(const struct mt_report *report) {
    const char *attached = mt_definitions_fact(report->definitions, MT_FACT_ATTACHED);
    if (!attached || strcmp(attached, "injection") != 0 || !has_module(report, "libc10_cuda.so")) return NULL;
    return "PyTorch was in the process, but its tensors were not seen: LD_PRELOAD is needed for that";
}

// Some errors say how the tracer marks a loss, not what the system answered.
const char *mt_notice_loss_reason(const struct mt_report *report) {
    const struct mt_file_header *header = mt_reader_header(report->reader);
    uint64_t number = header->lost_errno;
    if (header->stopped == MT_STOPPED_CUT) return "the trace was cut or overwritten by another program";
    if (header->stopped == MT_STOPPED_LIMIT) return "the trace had reached its MEMTRACE_MAX_SIZE";
    if (number == ESHUTDOWN) return "threads went on after the trace had ended, as the process exited";
    if (number == EINTR) return "signal handlers came in, or jumped out, while events were recorded";
    return number ? strerror((int)number) : NULL;
}

uint64_t mt_notice_lost_events(const struct mt_report *report) {
    uint64_t counted = mt_reader_header(report->reader)->lost_events, marked = report->survey.lost;
    return counted > marked ? counted : marked;
}

// Where the notices go: `out` is NULL if they are only to be counted.
struct notices {
    FILE *out;
    const char *prefix;
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void say(struct notices *notices, const char *format, ...) {
    va_list args;
    notices->count++;
    if (!notices->out) return;
    fprintf(notices->out, "%sIncomplete: ", notices->prefix);
    va_start(args, format);
    vfprintf(notices->out, format, args);
    va_end(args);
    fputc('\n', notices->out);
}

static void say_lost_events(struct notices *notices, const struct mt_report *report) {
    const struct mt_file_header *header = mt_reader_header(report->reader);
    const char *reason = mt_notice_loss_reason(report);
    uint64_t lost = mt_notice_lost_events(report);
    const char *separator = reason ? ": " : "";
    if (!reason) reason = "";
    if (lost)
        say(notices, "%s lost, and totals without them%s%s", mt_counted(lost, "event").text, separator, reason);
    else if (*reason && !header->lost_definitions)
        say(notices, "an unknown number of events lost, and totals without them%s%s", separator, reason);
    if (header->lost_definitions)
        say(notices, "%" PRIu64 " call stacks or names lost%s%s", header->lost_definitions, separator, reason);
    if (header->storage == MT_STORAGE_BUFFERED && header->state != MT_STATE_FINISHED)
        say(notices, "the process was killed, or still runs: what was not yet written out is missing");
}

static void say_damage(struct notices *notices, const struct mt_report *report) {
    struct mt_damage damage = mt_reader_damage(report->reader);
    uint64_t cut = mt_definitions_cut_stacks(report->definitions);
    if (damage.chunks)
        say(notices, "the file is damaged, and totals are without %s in %s that could not be read",
            mt_bytes(damage.bytes).text, mt_counted(damage.chunks, "chunk").text);
    if (cut)
        say(notices, "call stacks end early at %s whose callers are not in the trace", mt_counted(cut, "frame").text);
}

static void say_unseen(struct notices *notices, const struct mt_report *report) {
    const struct mt_definitions *definitions = report->definitions;
    const char *feed_lost = mt_definitions_fact(definitions, MT_FACT_FEED_LOST);
    const char *unseen = mt_definitions_fact(definitions, MT_FACT_UNSEEN);
    const char *unwinder = mt_definitions_fact(definitions, MT_FACT_UNWINDER);
    const char *python = mt_definitions_fact(definitions, MT_FACT_PYTHON_DECLINED);
    const char *some = mt_definitions_fact(definitions, MT_FACT_PYTHON) ? "some" : "the";
    const char *tensors = mt_notice_tensors(report);
    if (feed_lost) say(notices, "the end is missing: %s, and what followed was not seen", feed_lost);
    if (unseen) say(notices, "calls were not seen: %s; MEMTRACE_FEED=cupti sees them", unseen);
    // Switched off is as the user wanted it.
    if (unwinder && strncmp(unwinder, "none", 4) == 0 && !strstr(unwinder, "switched off"))
        say(notices, "there are no native call stacks: %s", unwinder);
    if (python) say(notices, "%s call stacks have no Python lines: %s", some, python);
    if (tensors) say(notices, "%s", tensors);
}

size_t mt_notices(FILE *out, const char *prefix, const struct mt_report *report) {
    struct notices notices = {.out = out, .prefix = prefix};
    say_lost_events(&notices, report);
    say_damage(&notices, report);
    say_unseen(&notices, report);
    if (notices.count && out && !*prefix) fputc('\n', out);
    return notices.count;
}
