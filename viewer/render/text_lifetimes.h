/*
 * Lives (lifetimes.h) as a text table, below the composition of the same moment. Called by the view of the peak.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_LIFETIMES_H
#define MEMTRACE_VIEWER_RENDER_TEXT_LIFETIMES_H

#include <stdio.h>

#include "viewer/analysis/lifetimes.h"

void mt_text_lifetimes(FILE *out, const struct mt_report *report, struct mt_lifetimes *lives);

#endif
