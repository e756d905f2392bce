/*
 * --errors: every call that failed, from where, and what is known about why: mistakes of the program, and requests that
 * the device had no memory for.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "viewer/blame.h"
#include "viewer/text_failures.h"
#include "viewer/views.h"

void mt_view_errors(struct mt_report *report, FILE *out) {
    struct mt_failures failures;
    mt_failures_find(report, &failures);
    struct mt_blame *blames = mt_blame_find(report, &failures);
    if (failures.count)
        fprintf(out, "Failed calls: %" PRIu64 "\n", failures.calls);
    else
        fprintf(out, "No call failed.\n");
    for (size_t i = 0; i < failures.count; i++) {
        mt_text_failure(out, report, &failures.items[i]);
        mt_text_blame(out, report, &blames[i]);
    }
    if (failures.late)
        fprintf(out, "Beside them, %" PRIu64 " calls at exit came after the driver had shut down.\n", failures.late);
    fprintf(out, "\n");
    free(blames);
    free(failures.items);
}
