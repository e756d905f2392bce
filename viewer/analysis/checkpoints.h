/*
 * Which line is a checkpoint? An event's *checkpoint* is the statement, in the outermost function of the program, below
 * which it happened: main's line, or a Python module's. A program that does everything below one such line would have
 * a single checkpoint, so this descends where there is more to tell:
 *
 *   - as long as the whole trace lies below one line, to the lines there;
 *   - below a line that holds a loop which takes memory and gives it back, to the lines of the loop's body; and from
 *     there on below lines that do nothing but call several others;
 *   - below a line that goes on for several steps of a training (phases.h).
 *
 * Inside loops it never descends to a line that mostly allocates by itself: that is the row's business. A pass over the
 * trace finds out; called by lines.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_CHECKPOINTS_H
#define MEMTRACE_VIEWER_ANALYSIS_CHECKPOINTS_H

#include <stdint.h>

#include "viewer/analysis/phases.h"
#include "viewer/analysis/report.h"

struct mt_checkpoints;

struct mt_checkpoints *mt_checkpoints_new(struct mt_report *report, struct mt_phases *phases);
void mt_checkpoints_free(struct mt_checkpoints *checkpoints);

// The path (stacks.h) of the checkpoint of an event whose user line has this path.
uint32_t mt_checkpoint_of(const struct mt_checkpoints *checkpoints, uint32_t path);

#endif
