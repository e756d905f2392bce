/*
 * --lines: analysis, folding and text of the line report, for each account in turn.
 */
#include <stdlib.h>
#include <time.h>

#include "viewer/analysis/by.h"
#include "viewer/analysis/checkpoints.h"
#include "viewer/analysis/failures.h"
#include "viewer/analysis/fold.h"
#include "viewer/analysis/lines.h"
#include "viewer/render/text_lines.h"
#include "viewer/views/views.h"

struct chain {
    struct mt_text_lines text;
    struct mt_folder *inner, *outer; // loops, and loops of loops
    const struct mt_report *report;
};

static void write_fold(void *user, struct mt_fold *fold) {
    struct chain *chain = user;
    mt_text_lines_fold(&chain->text, fold);
    mt_fold_free(fold);
}

static void pass_on(void *user, struct mt_fold *fold) {
    struct chain *chain = user;
    mt_folder_push(chain->outer, fold);
}

static void on_start(void *user, struct mt_line_totals totals) {
    struct chain *chain = user;
    char when[64] = "unknown time";
    time_t seconds = (time_t)(mt_reader_header(chain->report->reader)->start_realtime_ns / 1000000000u);
    struct tm local;
    if (localtime_r(&seconds, &local)) strftime(when, sizeof(when), "%d-%b-%y-%H:%M:%S", &local);
    mt_text_lines_header(&chain->text, when, totals);
}

static void on_block(void *user, struct mt_line_block *block, struct mt_line_totals totals) {
    struct chain *chain = user;
    mt_folder_push(chain->inner, mt_fold_block(block, totals));
}

static void show_account(struct mt_report *report, const struct mt_checkpoints *checkpoints, struct mt_phases *phases,
                         const struct mt_account *account, FILE *out) {
    struct chain chain = {
        .text = {.out = out, .units = report->options->units, .host = account->host},
        .report = report,
    };
    chain.outer = mt_folder_new(write_fold, &chain);
    chain.inner = mt_folder_new(pass_on, &chain);
    struct mt_line_listener listener = {.user = &chain, .start = on_start, .block = on_block};
    mt_lines_run(report, checkpoints, phases, account, &listener);
    mt_folder_finish(chain.inner);
    mt_folder_finish(chain.outer);
}

void mt_view_lines(struct mt_report *report, FILE *out) {
    uint32_t count;
    struct mt_account *accounts = mt_report_accounts(report, &count);
    if (count == 0) mt_report_nothing(report, out);

    bool by_marks = report->options->by->marks;
    struct mt_phases *phases = by_marks ? NULL : mt_phases_new(report);
    struct mt_checkpoints *checkpoints = by_marks ? NULL : mt_checkpoints_new(report, phases);
    for (uint32_t i = 0; i < count; i++) {
        // One device needs no heading: that is the common case, and the header line speaks for itself.
        char *name = mt_account_name(&accounts[i], report);
        if (count > 1) fprintf(out, "%s\n", name);
        free(name);
        show_account(report, checkpoints, phases, &accounts[i], out);
    }
    mt_checkpoints_free(checkpoints);
    mt_phases_free(phases);
    free(accounts);

    struct mt_failures failures;
    mt_failures_find(report, &failures);
    if (failures.calls) fprintf(out, "%s failed: see --summary.\n\n", mt_counted(failures.calls, "call").text);
    free(failures.items);
}
