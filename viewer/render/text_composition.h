/*
 * A composition as a text table: bytes, share, number and label of each group, and one line for those left out. Called
 * by the views that show a live set.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_COMPOSITION_H
#define MEMTRACE_VIEWER_RENDER_TEXT_COMPOSITION_H

#include <stdio.h>

#include "viewer/analysis/composition.h"
#include "viewer/base/units.h"

// top: most groups to show; 0: all.
void mt_text_composition(FILE *out, const struct mt_composition *composition, uint32_t top, enum mt_units units);

#endif
