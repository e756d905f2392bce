/*
 * How an allocation lived: in which phase it was made, and how long it stayed. Called by kinds.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_KIND_LIFETIMES_H
#define MEMTRACE_VIEWER_ANALYSIS_KIND_LIFETIMES_H

#include <stdbool.h>

#include "viewer/analysis/phases.h"

enum mt_life {
    MT_LIFE_UNSEEN,
    MT_LIFE_MODEL,           // made with the model
    MT_LIFE_MODEL_SHORT,     // … and gone while one is made, before any forward
    MT_LIFE_MODEL_UNUSED,    // … and gone later, still before any
    MT_LIFE_BEFORE_LONG,     // made before a forward; there still after a backward, in the next step, or at the end
    MT_LIFE_BEFORE_STEP,     // … gone after the forward
    MT_LIFE_LOADED,          // made by a data loader
    MT_LIFE_FORWARD_LINE,    // made in a forward and gone on the same line of it
    MT_LIFE_FORWARD_SHORT,   // … gone before its end
    MT_LIFE_FORWARD_KEPT,    // … kept beyond it
    MT_LIFE_FORWARD_LONG,    // … kept for steps
    MT_LIFE_RESULT_LINE,     // made between forward and backward, gone on the same line
    MT_LIFE_RESULT,          // … kept
    MT_LIFE_BACKWARD_SHORT,  // made in a backward and gone before its end
    MT_LIFE_BACKWARD_KEPT,   // … kept beyond it
    MT_LIFE_OPTIMIZER_SHORT, // likewise
    MT_LIFE_OPTIMIZER_KEPT,
    MT_LIFE_LINE,      // made elsewhere, gone on the same line
    MT_LIFE_ELSEWHERE, // made elsewhere
};

// From `born` to `end`, which is the end of the trace where it is alive; same_line: freed on the line that made it.
enum mt_life mt_life_of(const struct mt_phase_point *born, const struct mt_phase_point *end, bool alive,
                        bool same_line);

#endif
