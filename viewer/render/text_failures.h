/*
 * A failed call as text: what was asked for, what the answer was, from where, and why, as far as the trace tells.
 * Called by the summary and the view of --errors.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_FAILURES_H
#define MEMTRACE_VIEWER_RENDER_TEXT_FAILURES_H

#include <stdio.h>

#include "viewer/analysis/attribution.h"
#include "viewer/analysis/exhaustion.h"
#include "viewer/analysis/failures.h"

void mt_text_failure(FILE *out, const struct mt_report *report, const struct mt_failure *failure);
// What was live when memory ran out: the `most` largest groups, or nothing where that is not known.
void mt_text_exhaustion(FILE *out, const struct mt_report *report, const struct mt_exhaustion *exhaustion, size_t most);
void mt_text_attribution(FILE *out, const struct mt_report *report,
                         const struct mt_attribution *attribution); // a line, or nothing

#endif
