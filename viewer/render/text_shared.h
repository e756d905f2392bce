/*
 * Memory that crosses processes, as text: what was imported and is not owned here, and what was exported, so that a
 * handle may keep it alive elsewhere. Called by the view of --live.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_SHARED_H
#define MEMTRACE_VIEWER_RENDER_TEXT_SHARED_H

#include <stdio.h>

#include "viewer/analysis/report.h"

// What is live of it at the end of the trace; nothing where there is none, or for the host.
void mt_text_shared(FILE *out, const struct mt_report *report, const struct mt_account *account);

#endif
