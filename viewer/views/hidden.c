/*
 * --hidden: where all device memory in use went, allocated or not, at its highest moment and at the end.
 */
#include <stdlib.h>

#include "viewer/analysis/hidden.h"
#include "viewer/render/text_hidden.h"
#include "viewer/views/views.h"

// Whose memory the figures are.
static void write_source(const struct mt_hidden *hidden, const struct mt_report *report, FILE *out) {
    enum mt_units units = report->options->units;
    if (!hidden->samples)
        fprintf(out, "  Never measured: the context, code and the like are not in these figures.\n");
    else if (hidden->own)
        fprintf(out, "  This process alone, as the driver's management library tells; measured %s.\n",
                mt_counted(hidden->samples, "time").text);
    else
        fprintf(out, "  Measured %s for the whole device: if other processes use it, theirs is in it.\n",
                mt_counted(hidden->samples, "time").text);
    if (hidden->others_known && hidden->others > 0)
        fprintf(out, "  Beside it, %s were in use by others.\n", mt_amount((uint64_t)hidden->others, units).text);
}

// Why less than nothing can be unexplained.
static void write_excess(const struct mt_hidden *hidden, enum mt_units units, FILE *out) {
    if (hidden->unexplained >= 0) return;
    struct mt_phrase excess = mt_amount(0 - (uint64_t)hidden->unexplained, units);
    if (hidden->own)
        fprintf(out,
                "  %s less are in use than these rows say: what calls took was measured for the whole\n"
                "  device, and others took memory meanwhile, or some was given back unseen.\n",
                excess.text);
    else
        fprintf(out, "  %s less are in use than these rows say: others gave memory back, or it was unseen.\n",
                excess.text);
}

static void show(const struct mt_hidden *hidden, const char *name, const char *moment, const struct mt_report *report,
                 FILE *out) {
    uint64_t in_use = hidden->in_use > 0 ? (uint64_t)hidden->in_use : 0;
    enum mt_units units = report->options->units;
    fprintf(out, "%s: %s in use %s, after %.3f s\n", name, mt_amount(in_use, units).text, moment,
            mt_report_seconds(report, hidden->time_ns));
    write_source(hidden, report, out);
    mt_text_hidden(out, hidden, report->options->top, report->options->units);
    write_excess(hidden, units, out);
    if (hidden->imported)
        fprintf(out, "  Memory of other processes, imported here, is not in it: %s.\n",
                mt_amount(hidden->imported, units).text);
    if (hidden->managed)
        fprintf(
            out,
            "  %s of managed memory were live. What a prefetch moved here is among the allocations. What moved\n"
            "  unasked no call tells: what a measurement finds beyond all else is taken for it, as far as it can be.\n",
            mt_amount(hidden->managed, units).text);
    fprintf(out, "\n");
}

void mt_view_hidden(struct mt_report *report, FILE *out) {
    bool finished = mt_reader_header(report->reader)->state == MT_STATE_FINISHED;
    uint32_t count;
    struct mt_account *accounts = mt_report_accounts(report, &count);
    if (count == 0) mt_report_nothing(report, out);
    for (uint32_t i = 0; i < count; i++) {
        struct mt_hidden peak, end;
        if (accounts[i].host) continue;
        mt_hidden_find(report, accounts[i].device, &peak, &end);
        char *name = mt_account_name(&accounts[i], report);
        show(&peak, name, "at most", report, out);
        show(&end, name, finished ? "at exit" : "where the trace ends", report, out);
        free(name);
        mt_hidden_clear(&peak);
        mt_hidden_clear(&end);
    }
    free(accounts);
}
