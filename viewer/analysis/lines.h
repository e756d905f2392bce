/*
 * The line report's analysis: what each checkpoint's line did to memory, as blocks of grouped rows. Knows the trace and
 * no text; blocks are handed out one by one, so a long trace needs no more memory than a short one. Called by
 * view_lines.c; blocks are compared and folded by fold.c and written by text_lines.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_LINES_H
#define MEMTRACE_VIEWER_ANALYSIS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/checkpoints.h"
#include "viewer/analysis/report.h"

enum mt_row_kind {
    MT_ROW_ALLOCATED,
    MT_ROW_FREED,
    MT_ROW_REFUSED, // for want of memory
};

// Equal allocations, frees or refused requests of one call site.
struct mt_line_row {
    uint64_t bytes;    // of one of them
    uint64_t count;    // how many
    const char *shape; // where one is known, "(512, 512, 3, 3)"; else NULL
    const char *api;   // interned
    const struct mt_place *place;
    enum mt_row_kind kind;
    bool segment; // an allocator's segment: not part of what is used
};

struct mt_line_totals {
    uint64_t used;   // bytes that the program asked for and has not given back
    uint64_t in_use; // device memory in use; 0 for the host
};

// What one stretch of the trace at one line did. Its rows are ordered by their kind.
struct mt_line_block {
    const struct mt_place *at;
    bool since; // `at` is a mark, after which it was
    size_t row_count;
    struct mt_line_row rows[];
};

bool mt_line_block_equal(const struct mt_line_block *a, const struct mt_line_block *b);
uint64_t mt_line_block_hash(const struct mt_line_block *block);

struct mt_line_listener {
    void *user;
    // Once, before any block: the totals before the first change.
    void (*start)(void *user, struct mt_line_totals totals);
    // A block and the totals after it. The block is the listener's to free.
    void (*block)(void *user, struct mt_line_block *block, struct mt_line_totals totals);
};

// checkpoints and phases: unused, and may be NULL, where the report is by marks. A line that goes on for several steps
// of a training has a block for each.
void mt_lines_run(struct mt_report *report, const struct mt_checkpoints *checkpoints, struct mt_phases *phases,
                  const struct mt_account *account, const struct mt_line_listener *listener);

#endif
