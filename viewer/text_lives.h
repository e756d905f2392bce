/*
 * Lives (lives.h) as a text table, below the composition of the same moment. Called by the view of the peak.
 */
#ifndef MEMTRACE_VIEWER_TEXT_LIVES_H
#define MEMTRACE_VIEWER_TEXT_LIVES_H

#include <stdio.h>

#include "viewer/lives.h"

void mt_text_lives(FILE *out, const struct mt_report *report, struct mt_lives *lives);

#endif
