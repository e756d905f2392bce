/*
 * What the trace lacks of the process, and why, where a reader of tables would not guess it. Called by the default view
 * and the summary.
 */
#ifndef MEMTRACE_VIEWER_NOTICES_H
#define MEMTRACE_VIEWER_NOTICES_H

#include <stdio.h>

#include "viewer/report.h"

// Why PyTorch's tensors are not in the trace, a sentence without its point; NULL: they are, or there is no PyTorch.
const char *mt_notice_tensors(const struct mt_report *report);

// All of it, a paragraph each.
void mt_notices(FILE *out, const struct mt_report *report);

#endif
