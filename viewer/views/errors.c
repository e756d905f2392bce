/*
 * --errors: every call that failed, from where, and what is known about why: mistakes of the program, and requests that
 * the device had no memory for.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "viewer/analysis/attribution.h"
#include "viewer/render/text_failures.h"
#include "viewer/views/views.h"

// Each takes a look at all that is live.
#define EXHAUSTIONS_SHOWN 100

void mt_view_errors(struct mt_report *report, FILE *out) {
    struct mt_failures failures;
    mt_failures_find(report, &failures);
    struct mt_attribution *attributions = mt_attribution_find(report, &failures);
    struct mt_exhaustion *exhaustions = mt_exhaustions_find(report, &failures, EXHAUSTIONS_SHOWN);
    size_t most = report->options->top ? report->options->top : SIZE_MAX - 1;
    if (failures.count)
        fprintf(out, "Failed calls: %" PRIu64 "\n", failures.calls);
    else
        fprintf(out, "No failed call was recorded.\n");
    for (size_t i = 0; i < failures.count; i++) {
        mt_text_failure(out, report, &failures.items[i]);
        mt_text_exhaustion(out, report, &exhaustions[i], most);
        mt_text_attribution(out, report, &attributions[i]);
    }
    if (failures.late)
        fprintf(out, "Beside them, %s at exit came after the driver had shut down.\n",
                mt_counted(failures.late, "call").text);
    fprintf(out, "\n");
    mt_exhaustions_free(exhaustions, failures.count);
    free(attributions);
    free(failures.items);
}
