/*
 * What was the program training when something happened? Phases – forward, backward, optimizer … – and steps, told by
 * what is at hand, the surest first: threads of PyTorch's autograd engine, Python frames of torch's own files, NVTX
 * ranges whose names say so, and functions called forward or backward. A step is an NVTX range of that name; without
 * those it ends with the optimizer, without that with backward, else with the next forward. Called by kinds.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_PHASES_H
#define MEMTRACE_VIEWER_ANALYSIS_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/analysis/report.h"

enum mt_phase {
    MT_PHASE_OTHER,
    MT_PHASE_SETUP, // a model is made, or moved to the device
    MT_PHASE_INPUT, // data is loaded
    MT_PHASE_FORWARD,
    MT_PHASE_BACKWARD,
    MT_PHASE_OPTIMIZER,
};

enum mt_step_evidence {
    MT_STEPS_NONE,
    MT_STEPS_BY_RANGES,
    MT_STEPS_BY_OPTIMIZER,
    MT_STEPS_BY_BACKWARD,
    MT_STEPS_BY_FORWARD,
};

// Where in a step code that is no phase's own runs.
enum mt_position { MT_BEFORE_FORWARD, MT_AFTER_FORWARD, MT_AFTER_BACKWARD };

struct mt_phase_point {
    enum mt_phase phase;
    uint32_t instance; // this forward, this backward …: another number each time
    uint32_t step;     // from 1; 0: before the first
    enum mt_position position;
    uint32_t forwards, backwards; // begun, and ended, so far
};

struct mt_phases;

// Looks through the trace for what tells its steps.
struct mt_phases *mt_phases_new(const struct mt_report *report);
void mt_phases_free(struct mt_phases *phases);

enum mt_step_evidence mt_phases_evidence(const struct mt_phases *phases);
bool mt_phases_found(const struct mt_phases *phases, enum mt_phase phase); // whether it occurs at all

// A replay of the trace begins.
void mt_phases_restart(struct mt_phases *phases);
// Every change of a replay in turn: where it happened.
struct mt_phase_point mt_phases_follow(struct mt_phases *phases, const struct mt_model *model,
                                       const struct mt_change *change);

#endif
