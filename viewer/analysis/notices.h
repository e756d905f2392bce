/*
 * What the trace lacks of the process, and why: losses, and what could not be seen. It heads every view, since a total
 * without what is missing would be believed. Called by main.c, and by the summary, which tells more of it.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_NOTICES_H
#define MEMTRACE_VIEWER_ANALYSIS_NOTICES_H

#include <stdio.h>

#include "viewer/analysis/report.h"

// Why PyTorch's tensors are not in the trace, a sentence without its point; NULL: they are, or there is no PyTorch.
const char *mt_notice_tensors(const struct mt_report *report);

// Why events or definitions were lost first, or NULL.
const char *mt_notice_loss_reason(const struct mt_report *report);
uint64_t mt_notice_lost_events(const struct mt_report *report);

// All that is missing, a line for each kind behind a prefix, and an empty line if there is none; to nowhere if `out` is
// NULL. Returns the number of kinds.
size_t mt_notices(FILE *out, const char *prefix, const struct mt_report *report);

#endif
