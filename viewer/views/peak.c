/*
 * --peak: the composition of each account at the moment when it was largest, and how long what was live then lived. The
 * survey knows when that was; a replay yields the live set there, and follows it to the end.
 */
#include <stdlib.h>

#include "viewer/analysis/lifetimes.h"
#include "viewer/base/memory.h"
#include "viewer/render/text_composition.h"
#include "viewer/render/text_lifetimes.h"
#include "viewer/views/views.h"

struct peak {
    struct mt_account account;
    struct mt_tally tally; // as of the end, with the peak
    struct mt_composition composition;
    struct mt_lifetimes *lives; // NULL: not there yet
};

struct search {
    struct mt_report *report;
    struct peak *peaks;
    uint32_t count;
};

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct search *search = user;
    for (uint32_t i = 0; i < search->count; i++) {
        struct peak *peak = &search->peaks[i];
        if (peak->lives) {
            mt_lifetimes_follow(peak->lives, change);
        } else if (change->kind == MT_CHANGE_ALLOCATED && change->index == peak->tally.peak_index &&
                   mt_account_holds(&peak->account, change->live)) {
            mt_composition_make(search->report, model, &peak->account, &peak->composition);
            peak->lives = mt_lifetimes_new(search->report);
            mt_lifetimes_take(peak->lives, model, &peak->account, change->event->time_ns);
        }
    }
    return 0;
}

static void show_peak(const struct mt_report *report, const struct peak *peak, FILE *out) {
    enum mt_units units = report->options->units;
    char *name = mt_account_name(&peak->account, report);
    fprintf(out, "%s: peak of %s%s after %.3f s\n", name, mt_amount(peak->tally.peak_bytes, units).text,
            peak->account.tensors ? " in tensors" : "", mt_report_seconds(report, peak->tally.peak_time_ns));
    mt_text_composition(out, &peak->composition, report->options->top, units);
    if (peak->lives) mt_text_lifetimes(out, report, peak->lives);
    fprintf(out, "\n");
    free(name);
}

void mt_view_peak(struct mt_report *report, FILE *out) {
    struct search search = {.report = report};
    struct mt_account *accounts = mt_report_accounts(report, &search.count);
    search.peaks = mt_allocate(search.count * sizeof(*search.peaks));
    for (uint32_t i = 0; i < search.count; i++) {
        search.peaks[i].account = accounts[i];
        search.peaks[i].tally = *mt_account_tally(&accounts[i], mt_model_ledgers(report->end));
    }
    if (search.count) mt_report_replay(report, observe, &search);
    if (search.count == 0) mt_report_nothing(report, out);
    for (uint32_t i = 0; i < search.count; i++) {
        search.peaks[i].composition.by = report->options->by;
        show_peak(report, &search.peaks[i], out);
        mt_composition_clear(&search.peaks[i].composition);
        mt_lifetimes_free(search.peaks[i].lives);
    }
    free(search.peaks);
    free(accounts);
}
