/*
 * A source file with figures beside its lines, as a line profiler prints it. Called by view_source.c.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_SOURCE_H
#define MEMTRACE_VIEWER_RENDER_TEXT_SOURCE_H

#include <stdbool.h>
#include <stdio.h>

#include "viewer/base/units.h"
#include "viewer/symbols/source.h"

// text: the file, as it can be read now, or NULL. whole: all of it; else the lines with figures and a few around them.
void mt_text_source(FILE *out, const struct mt_source_file *file, FILE *text, bool whole, enum mt_units units);

#endif
