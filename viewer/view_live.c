/*
 * --live: what is live at the end of the trace. After a regular exit that is what the program never freed.
 */
#include <stdlib.h>

#include "viewer/text_composition.h"
#include "viewer/text_shared.h"
#include "viewer/views.h"

static const char *moment(const struct mt_report *report) {
    bool finished = mt_reader_header(report->reader)->state == MT_STATE_FINISHED;
    return finished ? "live at exit" : "live where the trace ends (the process was killed, or still runs)";
}

void mt_view_live(struct mt_report *report, FILE *out) {
    enum mt_units units = report->options->units;
    uint32_t count;
    struct mt_account *accounts = mt_report_accounts(report, &count);
    if (count == 0) mt_report_nothing(report, out);
    for (uint32_t i = 0; i < count; i++) {
        struct mt_composition composition;
        mt_composition_make(report, report->end, &accounts[i], &composition);
        char *name = mt_account_name(&accounts[i], report);
        fprintf(out, "%s: %s in %s %s\n", name, mt_amount(composition.total.bytes, units).text,
                mt_counted(composition.total.count, accounts[i].tensors ? "tensor" : "allocation").text,
                moment(report));
        mt_text_composition(out, &composition, report->options->top, units);
        mt_text_shared(out, report, &accounts[i]);
        fprintf(out, "\n");
        free(name);
        mt_composition_clear(&composition);
    }
    free(accounts);
}
