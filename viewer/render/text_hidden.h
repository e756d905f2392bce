/*
 * A reconciliation (hidden.h) as a text table: every row but the indented ones is a summand of the sum below it. Called
 * by the view of --hidden.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_HIDDEN_H
#define MEMTRACE_VIEWER_RENDER_TEXT_HIDDEN_H

#include <stdio.h>

#include "viewer/analysis/hidden.h"
#include "viewer/base/units.h"

// top: most rows a section; 0: all.
void mt_text_hidden(FILE *out, const struct mt_hidden *hidden, uint32_t top, enum mt_units units);

#endif
