/*
 * What was seen of each entry point that the tracer watches: how often, how often it failed, how many bytes came or
 * went through it. A trace defines all of them when it begins, so those never called are known too. Called by the view
 * of --coverage.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_COVERAGE_H
#define MEMTRACE_VIEWER_ANALYSIS_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/report.h"

struct mt_coverage_row {
    const struct mt_api *api;
    uint64_t events; // failures too; what a call records on the side is not counted, such as a measurement after it
    uint64_t failed;
    uint64_t bytes; // asked for or given back
};

struct mt_coverage {
    struct mt_coverage_row *rows; // in the order of their definition
    size_t count;
    size_t seen;
};

void mt_coverage_find(const struct mt_report *report, struct mt_coverage *out); // the caller frees out->rows

#endif
