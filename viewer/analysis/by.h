/*
 * What allocations can be grouped by: one row a criterion, read by --by and by composition.c. A new criterion is one
 * function and one row in by.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_BY_H
#define MEMTRACE_VIEWER_ANALYSIS_BY_H

#include <stdbool.h>
#include <stddef.h>

#include "viewer/analysis/report.h"

struct mt_by {
    const char *name;   // "line"
    const char *plural; // "call sites": "… 3 more call sites"
    const char *header; // of the column
    // The label of an allocation's group. The caller frees it.
    char *(*label)(const struct mt_report *report, const struct mt_live *live);
    // Equal numbers have equal labels: spares making a label for each allocation.
    uint64_t (*key)(const struct mt_report *report, const struct mt_live *live);
    bool marks; // the line report then takes NVTX ranges for checkpoints
};

// Works out the sites of all that is live: labels made from then on tell files of one name apart.
void mt_by_prepare(const struct mt_report *report, const struct mt_model *model);

const struct mt_by *mt_by_all(size_t *count);
const struct mt_by *mt_by_find(const char *name); // NULL: no such
const struct mt_by *mt_by_default(void);

#endif
