/*
 * --live: what is live at the end of the trace. After a regular exit that is what the program never freed.
 */
#include <stdlib.h>

#include "viewer/render/text_composition.h"
#include "viewer/render/text_shared.h"
#include "viewer/views/views.h"

static const char *moment(const struct mt_report *report) {
    bool finished = mt_reader_header(report->reader)->state == MT_STATE_FINISHED;
    return finished ? "live at exit" : "live where the trace ends (the process was killed, or still runs)";
}

struct late {
    const struct mt_account *account;
    uint64_t bytes, count;
};

static int add_late(void *user, const struct mt_live *live) {
    struct late *late = user;
    if (!live->late || !mt_account_holds(late->account, live)) return 0;
    late->bytes += live->bytes;
    late->count++;
    return 0;
}

// Destructors that run after the driver has shut down: the program does free it.
static void write_late(const struct mt_report *report, const struct mt_account *account, FILE *out) {
    struct late late = {.account = account};
    mt_model_each_live(report->end, add_late, &late);
    if (!late.count) return;
    fprintf(out, "  Of these, %s in %s were freed too late, after the driver had shut down: see --errors.\n",
            mt_amount(late.bytes, report->options->units).text, mt_counted(late.count, "allocation").text);
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
        write_late(report, &accounts[i], out);
        mt_text_shared(out, report, &accounts[i]);
        fprintf(out, "\n");
        free(name);
        mt_composition_clear(&composition);
    }
    free(accounts);
}
