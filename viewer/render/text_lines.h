/*
 * The line report as text, in the columns that users of Pytorch-Memory-Utils read. Knows blocks and folds, no trace.
 * Called by view_lines.c.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_LINES_H
#define MEMTRACE_VIEWER_RENDER_TEXT_LINES_H

#include <stdio.h>

#include "viewer/analysis/fold.h"
#include "viewer/base/units.h"

struct mt_text_lines {
    FILE *out;
    enum mt_units units;
    bool host; // totals of host memory: there is no device memory in use
};

// when: already formatted, "29-Nov-26-16:02:11".
void mt_text_lines_header(const struct mt_text_lines *text, const char *when, struct mt_line_totals totals);
void mt_text_lines_fold(const struct mt_text_lines *text, const struct mt_fold *fold);

#endif
