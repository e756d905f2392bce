/*
 * The table that most views print: bytes in full and as a size, their share of a total, how many there are, and what
 * they are. Called by the renderers.
 */
#ifndef MEMTRACE_VIEWER_RENDER_TEXT_TABLE_H
#define MEMTRACE_VIEWER_RENDER_TEXT_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "viewer/base/units.h"

struct mt_text_table {
    FILE *out;
    enum mt_units units;
    uint64_t total; // that shares are of; 0: shows none
};

void mt_text_table_header(const struct mt_text_table *table, const char *label);

// count 0: there is nothing to count.
void mt_text_table_row(const struct mt_text_table *table, uint64_t bytes, uint64_t count, const char *label);

#endif
