/*
 * --kinds: parameters, gradients, optimizer state, activations … at the peak and over the steps of a training.
 */
#include <stdlib.h>

#include "viewer/analysis/kind_table.h"
#include "viewer/render/text_kinds.h"
#include "viewer/views/views.h"

static void show_account(struct mt_report *report, struct mt_phases *phases, const struct mt_kinds *kinds,
                         const struct mt_account *account, FILE *out) {
    enum mt_units units = report->options->units;
    struct mt_kind_table table;
    mt_kind_table_make(report, phases, kinds, account, &table);
    char *name = mt_account_name(account, report);
    fprintf(out, "%s: kinds of memory at the peak of %s%s after %.3f s", name, mt_amount(table.peak_bytes, units).text,
            account->tensors ? " in tensors" : "", mt_report_seconds(report, table.peak_time_ns));
    if (table.peak_step) fprintf(out, ", in step %u", table.peak_step);
    fprintf(out, "\n");
    mt_text_kinds(out, &table, units);
    mt_text_steps(out, &table, mt_phases_evidence(phases), report->options->top, units);
    fprintf(out, "\n");
    free(name);
    mt_kind_table_clear(&table);
}

void mt_view_kinds(struct mt_report *report, FILE *out) {
    uint32_t count, shown = 0;
    struct mt_account *accounts = mt_report_accounts(report, &count);
    struct mt_phases *phases = mt_phases_new(report);
    struct mt_kinds *kinds = mt_kinds_new(report, phases);
    for (uint32_t i = 0; i < count; i++) {
        if (accounts[i].host) continue; // kinds are those of device memory
        show_account(report, phases, kinds, &accounts[i], out);
        shown++;
    }
    if (!shown) mt_report_nothing(report, out);
    mt_kinds_free(kinds);
    mt_phases_free(phases);
    free(accounts);
}
