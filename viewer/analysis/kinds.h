/*
 * What kind of memory is it? Parameters, gradients, optimizer state, activations, inputs … – each allocation is judged
 * by the phase (phases.h) in which it was made, by how long it lived, by its call stack, and by whether gradients of
 * its size exist. Each verdict names its evidence; where the evidence does not suffice, the kind is unknown. Needs two
 * passes over the trace and one byte an event. Called by view_kinds.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_KINDS_H
#define MEMTRACE_VIEWER_ANALYSIS_KINDS_H

#include "viewer/analysis/phases.h"
#include "viewer/analysis/report.h"

enum mt_kind {
    MT_KIND_PARAMETERS,
    MT_KIND_GRADIENTS,
    MT_KIND_OPTIMIZER,
    MT_KIND_ACTIVATIONS,
    MT_KIND_INPUTS,
    MT_KIND_TEMPORARY,
    MT_KIND_WORKSPACE,
    MT_KIND_UNKNOWN,
    MT_KINDS
};

const char *mt_kind_name(enum mt_kind kind); // "optimizer state"

// A kind, and how it is known. Equal verdicts are one pointer.
struct mt_verdict {
    enum mt_kind kind;
    const char *how; // "made by the optimizer, kept after its step"
};

// In the order in which a table shows them: by kind.
const struct mt_verdict *mt_verdicts(size_t *count);

struct mt_kinds;

struct mt_kinds *mt_kinds_new(struct mt_report *report, struct mt_phases *phases);
void mt_kinds_free(struct mt_kinds *kinds);

const struct mt_verdict *mt_kinds_verdict(const struct mt_kinds *kinds, const struct mt_live *live);

#endif
