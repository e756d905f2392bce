/*
 * Loops folded: consecutive stretches of the line report that did the same become one, with a count. A training loop
 * of a thousand steps is then read at a glance, and a leak in it still shows, since a fold keeps the totals after its
 * first and after its last time. Works on a stream with a bounded window; blocks of up to MT_FOLD_PERIOD checkpoints
 * that repeat are found, and loops inside loops through two folders in a row. Called by view_lines.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_FOLD_H
#define MEMTRACE_VIEWER_ANALYSIS_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/lines.h"

#define MT_FOLD_PERIOD 64

// One block, or (block NULL) several folds that happened `count` times in a row.
struct mt_fold {
    uint64_t count; // 1 for a single block
    struct mt_line_block *block;
    struct mt_fold **children;
    size_t child_count;
    struct mt_line_totals first, last; // after the first and the last time
    uint64_t hash;
};

struct mt_fold *mt_fold_block(struct mt_line_block *block, struct mt_line_totals totals); // takes the block over
void mt_fold_free(struct mt_fold *fold);

typedef void mt_fold_sink(void *user, struct mt_fold *fold); // the fold is the sink's to free

struct mt_folder;

struct mt_folder *mt_folder_new(mt_fold_sink *sink, void *user);
void mt_folder_push(struct mt_folder *folder, struct mt_fold *fold);
// Sends on what is still held back, and frees the folder.
void mt_folder_finish(struct mt_folder *folder);

#endif
