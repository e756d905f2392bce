/*
 * --summary: which process this was, what was recorded of it, the peaks, the failed calls, and whatever is missing from
 * the trace.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/facts.h"
#include "viewer/analysis/failures.h"
#include "viewer/analysis/notices.h"
#include "viewer/render/text_failures.h"
#include "viewer/symbols/places.h"
#include "viewer/trace/effects.h"
#include "viewer/views/views.h"

#define ENTRY "  %-18s "

static const char *fact(const struct mt_report *report, const char *key) {
    return mt_definitions_fact(report->definitions, key);
}

static void write_entry(FILE *out, const char *name, const char *value) {
    if (value && *value) fprintf(out, ENTRY "%s\n", name, value);
}

static void write_process(const struct mt_report *report, FILE *out) {
    write_entry(out, "command", fact(report, MT_FACT_COMMAND));
    write_entry(out, "directory", fact(report, MT_FACT_DIRECTORY));
    write_entry(out, "host", fact(report, MT_FACT_HOST));
    fprintf(out, ENTRY "%u", "process", mt_reader_header(report->reader)->pid);
    const char *rank = fact(report, MT_FACT_RANK), *size = fact(report, MT_FACT_WORLD_SIZE),
               *launcher = fact(report, MT_FACT_LAUNCHER);
    if (rank) fprintf(out, ", rank %s", rank);
    if (rank && size) fprintf(out, " of %s", size);
    if (rank && launcher) fprintf(out, " (%s)", launcher);
    fprintf(out, "\n");
}

static void write_uuid(FILE *out, const uint8_t uuid[16]) {
    static const uint8_t none[16];
    if (memcmp(uuid, none, sizeof(none)) == 0) return;
    fprintf(out, ", GPU-");
    for (int i = 0; i < 16; i++) fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static void write_machine(const struct mt_report *report, FILE *out) {
    for (uint32_t i = 0; i < mt_definitions_device_limit(report->definitions); i++) {
        const struct mt_device *device = mt_definitions_device(report->definitions, i);
        if (!device) continue;
        char name[32];
        snprintf(name, sizeof(name), "GPU %u", i);
        fprintf(out, ENTRY "%s, %s", name, device->name, mt_size(device->total_bytes, report->options->units).text);
        write_uuid(out, device->uuid);
        fprintf(out, "\n");
    }
    write_entry(out, "visible devices", fact(report, MT_FACT_VISIBLE));
    const char *driver = fact(report, MT_FACT_DRIVER), *cuda = fact(report, MT_FACT_CUDA);
    if (driver || cuda)
        fprintf(out, ENTRY "%s%s%s\n", "driver", driver ? driver : "unknown", cuda ? ", CUDA " : "", cuda ? cuda : "");
    write_entry(out, "Python", fact(report, MT_FACT_PYTHON));
    write_entry(out, "no Python frames", fact(report, MT_FACT_PYTHON_DECLINED));
    write_entry(out, "no tensors", mt_notice_tensors(report));
    const char *feed = fact(report, MT_FACT_FEED), *reason = fact(report, MT_FACT_FEED_REASON);
    if (feed) fprintf(out, ENTRY "%s%s%s\n", "feed", feed, reason ? ": " : "", reason ? reason : "");
    const char *unseen = fact(report, MT_FACT_UNSEEN);
    if (unseen) fprintf(out, ENTRY "%s; MEMTRACE_FEED=cupti sees them\n", "calls not seen", unseen);
    write_entry(out, "feed ended early", fact(report, MT_FACT_FEED_LOST));
    write_entry(out, "call stacks", fact(report, MT_FACT_UNWINDER));
    write_entry(out, "seen by CUPTI only", fact(report, MT_FACT_ONLY_CUPTI));
    write_entry(out, "seen by hooks only", fact(report, MT_FACT_ONLY_HOOKS));
}

static void write_events(const struct mt_report *report, FILE *out) {
    const struct mt_survey *survey = &report->survey;
    fprintf(out, ENTRY "%" PRIu64, "events", survey->events);
    const char *separator = " (";
    for (uint32_t effect = 0; effect < MT_EFFECT_SLOTS; effect++) {
        if (!survey->effects[effect]) continue;
        fprintf(out, "%s%s %" PRIu64, separator, mt_effect_name(effect), survey->effects[effect]);
        separator = ", ";
    }
    fprintf(out, "%s\n", survey->events ? ")" : "");
    uint64_t bytes = mt_reader_event_bytes(report->reader), file_bytes = mt_reader_file_bytes(report->reader);
    if (survey->events)
        fprintf(out, ENTRY "%.2f, of %s of events; the file has %s\n", "bytes per event",
                (double)bytes / (double)survey->events, mt_bytes(bytes).text, mt_bytes(file_bytes).text);
    else
        fprintf(out, ENTRY "%s\n", "file", mt_bytes(file_bytes).text);
}

static void write_state(const struct mt_report *report, FILE *out) {
    const struct mt_file_header *header = mt_reader_header(report->reader);
    const struct mt_survey *survey = &report->survey;
    bool finished = header->state == MT_STATE_FINISHED;
    const char *ended = fact(report, MT_FACT_ENDED);
    if (finished)
        fprintf(out, ENTRY "finished%s%s\n", "trace", ended ? ", by " : "", ended ? ended : "");
    else
        fprintf(out, ENTRY "not finished: the process was killed, or still runs\n", "trace");
    if (header->storage == MT_STORAGE_BUFFERED)
        fprintf(out, ENTRY "buffered, as the file could not be reserved and mapped%s\n", "storage",
                finished ? "" : ": what was not yet written out is missing");
    uint64_t end = header->end_monotonic_ns ? header->end_monotonic_ns : survey->last_time_ns;
    fprintf(out, ENTRY "%.3f s\n", "duration", mt_report_seconds(report, end));
}

// Whether the ledgers agree with what a framework's allocator says of itself.
static void write_figures(const struct mt_report *report, FILE *out) {
    const struct mt_survey *survey = &report->survey;
    const struct mt_wrong_figures *first = &survey->first_wrong;
    if (!survey->figures) return;
    fprintf(out, ENTRY "%s, %" PRIu64 " mismatch%s", "torch's figures", mt_counted(survey->figures, "sample").text,
            survey->wrong_figures, survey->wrong_figures == 1 ? "" : "es");
    if (survey->wrong_figures)
        fprintf(out, "; the first after %.3f s: allocated %s (torch: %s), reserved %s (torch: %s)",
                mt_report_seconds(report, first->time_ns), mt_exact(first->allocated).text,
                mt_exact(first->allocated_there).text, mt_exact(first->reserved).text,
                mt_exact(first->reserved_there).text);
    fprintf(out, "\n");
}

// What the trace does not have. Every line but the first is there only if there is something to say.
static void write_losses(const struct mt_report *report, FILE *out) {
    const struct mt_file_header *header = mt_reader_header(report->reader);
    const struct mt_survey *survey = &report->survey;
    struct mt_damage damage = mt_reader_damage(report->reader);
    uint64_t lost = mt_notice_lost_events(report);
    const char *reason = mt_notice_loss_reason(report);
    if (reason && !lost && !header->lost_definitions)
        fprintf(out, ENTRY "an unknown number: %s\n", "lost events", reason);
    else
        fprintf(out, ENTRY "%" PRIu64 "%s%s\n", "lost events", lost, lost && reason ? ": " : "",
                lost && reason ? reason : "");
    if (header->lost_definitions)
        fprintf(out, ENTRY "%" PRIu64 ": call stacks or names that could not be stored\n", "lost definitions",
                header->lost_definitions);
    if (damage.chunks)
        fprintf(out, ENTRY "%s in %s unreadable, the first at offset %" PRIu64 "\n", "damage",
                mt_bytes(damage.bytes).text, mt_counted(damage.chunks, "chunk").text, damage.first_offset);
    if (survey->unknown_frees)
        fprintf(out, ENTRY "%" PRIu64 " of memory whose allocation is not in the trace\n", "unknown frees",
                survey->unknown_frees);
    if (survey->unseen_ends)
        fprintf(out, ENTRY "%s whose end is not in the trace\n", "unseen frees",
                mt_counted(survey->unseen_ends, "allocation").text);
    if (survey->implied_frees)
        fprintf(out, ENTRY "%s, by the end of a context\n", "freed implicitly",
                mt_counted(survey->implied_frees, "allocation").text);
    for (uint32_t i = 0; i < survey->note_count; i++)
        write_entry(out, "note", mt_definitions_string(report->definitions, survey->notes[i]));
    const char *note;
    size_t count = 0;
    while ((note = mt_symbols_note(report->symbols, count++))) write_entry(out, "note", note);
    if (count > 1 && !report->options->symfs)
        write_entry(out, "note", "--symfs FOLDER looks for such files in a folder that they were copied to");
}

static void write_tally(const struct mt_report *report, FILE *out, const char *name, const struct mt_tally *tally) {
    enum mt_units units = report->options->units;
    if (!tally->allocations) return;
    fprintf(out, ENTRY "%s after %.3f s, by %s\n", name, mt_amount(tally->peak_bytes, units).text,
            mt_report_seconds(report, tally->peak_time_ns),
            mt_place_text(mt_stacks_site(report->stacks, tally->peak_stack)->user).text);
    fprintf(out, ENTRY "%s in %s\n", "  live at the end", mt_amount(tally->bytes, units).text,
            mt_counted(tally->count, "allocation").text);
    fprintf(out, ENTRY "%s in %s\n", "  ever allocated", mt_bytes(tally->allocated_bytes).text,
            mt_counted(tally->allocations, "allocation").text);
}

static void write_shared(FILE *out, const char *name, const struct mt_tally *tally, const char *meaning) {
    if (!tally->allocations) return;
    fprintf(out, ENTRY "%s at its peak, %s at the end: %s\n", name, mt_bytes(tally->peak_bytes).text,
            mt_exact(tally->bytes).text, meaning);
}

static void write_in_use(const struct mt_report *report, FILE *out, uint32_t ordinal) {
    const struct mt_ledgers *ledgers = mt_model_ledgers(report->end);
    const struct mt_device_ledgers *device = mt_ledgers_device(ledgers, ordinal);
    enum mt_units units = report->options->units;
    fprintf(out, ENTRY "%s at its peak, %s at the end, as measured for %s\n", "device memory",
            mt_amount(device->in_use_peak, units).text, mt_exact(mt_ledgers_in_use(ledgers, ordinal)).text,
            device->sample_source == MT_SAMPLE_PROCESS ? "this process" : "the whole device");
    uint64_t most = device->in_use_peak + device->sample_others;
    if (device->sample_total <= most) return;
    uint64_t room = device->sample_total - most;
    fprintf(out, ENTRY "%s of %s were free even then\n", "room", mt_amount(room, units).text,
            mt_exact(device->sample_total).text);
}

static void write_account(const struct mt_report *report, FILE *out, const struct mt_account *account) {
    const struct mt_ledgers *ledgers = mt_model_ledgers(report->end);
    char *name = mt_account_name(account, report);
    fprintf(out, "\n%s\n", name);
    free(name);
    if (account->host) {
        write_tally(report, out, "peak", &ledgers->host);
        return;
    }
    const struct mt_device_ledgers *device = mt_ledgers_device(ledgers, account->device);
    if (account->tensors) {
        write_tally(report, out, "tensors' peak", &device->tensors);
        write_tally(report, out, "segments' peak", &device->segments);
        write_tally(report, out, "others' peak", &device->others);
    } else {
        write_tally(report, out, "peak of use", &device->used);
    }
    // The two ledgers differ from what is used only where an allocator stands in between.
    if (!account->tensors && device->ledgers[MT_LEDGER_ALLOCATOR].allocations &&
        device->ledgers[MT_LEDGER_PHYSICAL].allocations) {
        write_tally(report, out, "physical peak", &device->ledgers[MT_LEDGER_PHYSICAL]);
        write_tally(report, out, "allocators' peak", &device->ledgers[MT_LEDGER_ALLOCATOR]);
    }
    write_shared(out, "imported", &device->imported, "another process's, not counted here");
    write_shared(out, "exported", &device->exported, "handles may keep it in other processes");
    if (device->sampled) write_in_use(report, out, account->device);
}

static void write_host_tensors(const struct mt_report *report, FILE *out) {
    const struct mt_tally *tally = &mt_model_ledgers(report->end)->host_tensors;
    if (!tally->allocations || report->options->device != MT_ALL_DEVICES) return;
    fprintf(out, "\nA framework's tensors on the CPU, in no other figure\n");
    write_tally(report, out, "peak", tally);
}

// As many failed calls as a summary has room for.
#define FAILURES_SHOWN 5
#define GROUPS_SHOWN   5 // of what was live when memory ran out

static void write_failures(const struct mt_report *report, FILE *out) {
    struct mt_failures failures;
    mt_failures_find(report, &failures);
    if (failures.count) fprintf(out, "\nFailed calls: %" PRIu64 "\n", failures.calls);
    size_t shown = failures.count > FAILURES_SHOWN + 1 ? FAILURES_SHOWN : failures.count;
    uint64_t rest = failures.calls;
    struct mt_exhaustion *exhaustions = mt_exhaustions_find(report, &failures, 1);
    for (size_t i = 0; i < shown; i++) {
        mt_text_failure(out, report, &failures.items[i]);
        mt_text_exhaustion(out, report, &exhaustions[i], GROUPS_SHOWN);
        rest -= failures.items[i].count;
    }
    if (shown < failures.count) fprintf(out, "  … %" PRIu64 " more calls: see --errors\n", rest);
    if (failures.late) fprintf(out, "\nCalls at exit, after the driver had shut down: %" PRIu64 "\n", failures.late);
    mt_exhaustions_free(exhaustions, failures.count);
    free(failures.items);
}

void mt_view_summary(struct mt_report *report, FILE *out) {
    fprintf(out, "Summary of %s\n", report->path);
    write_process(report, out);
    write_machine(report, out);
    write_state(report, out);
    write_events(report, out);
    uint32_t count;
    struct mt_account *accounts = mt_report_accounts(report, &count);
    // Sites are worked out first: that is when notes about unreadable modules appear.
    for (uint32_t i = 0; i < count; i++)
        mt_stacks_site(report->stacks, mt_account_tally(&accounts[i], mt_model_ledgers(report->end))->peak_stack);
    write_figures(report, out);
    write_losses(report, out);
    for (uint32_t i = 0; i < count; i++) write_account(report, out, &accounts[i]);
    write_host_tensors(report, out);
    write_failures(report, out);
    fprintf(out, "\n");
    free(accounts);
}
