/*
 * The tables of kinds of memory as text. Called by view_kinds.c.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_KINDS_H
#define MEMTRACE_VIEWER_RENDER_TEXT_KINDS_H

#include <stdio.h>

#include "viewer/analysis/kind_table.h"
#include "viewer/base/units.h"

// What was live at the peak, by kind.
void mt_text_kinds(FILE *out, const struct mt_kind_table *table, enum mt_units units);
// Most of each kind in each step; top: rows at most, 0: all.
void mt_text_steps(FILE *out, const struct mt_kind_table *table, enum mt_step_evidence evidence, uint32_t top,
                   enum mt_units units);

#endif
