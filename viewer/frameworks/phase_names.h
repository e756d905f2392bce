/*
 * Phases by name: what the text of an NVTX range, or a Python function in its file, says of the training. Called by
 * phases.c.
 */
#ifndef MEMTRACE_VIEWER_FRAMEWORKS_PHASE_NAMES_H
#define MEMTRACE_VIEWER_FRAMEWORKS_PHASE_NAMES_H

#include <stdbool.h>

#include "viewer/analysis/phases.h"

// MT_PHASE_OTHER: says nothing.
enum mt_phase mt_phase_of_range(const char *text);

// "step", "train step 12", "iteration:3": one step of the training.
bool mt_is_step_range(const char *text);

struct mt_code_phase {
    bool known;     // false: ask the caller's frame
    bool certain;   // by a framework's own file, not just by the function's name
    bool zero_grad; // certain: gradients are thrown away
    enum mt_phase phase;
};

struct mt_code_phase mt_phase_of_python(const char *function, const char *file);

// Whether a kernel, by its mangled name, works on many tensors at once: PyTorch's optimizers do, and what prepares
// gradients for them.
bool mt_is_update_kernel(const char *name);

#endif
