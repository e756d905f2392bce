/*
 * The views: each is one option of memtrace-report, one function, one file, and one row of the table in views.c. A view
 * runs an analysis and hands its result to a renderer; it may replay the trace as often as it needs.
 */
#ifndef MEMTRACE_VIEWER_VIEWS_VIEWS_H
#define MEMTRACE_VIEWER_VIEWS_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "viewer/analysis/report.h"

struct mt_view {
    const char *option; // "lines": --lines
    const char *help;
    void (*show)(struct mt_report *report, FILE *out);
    const char *argument; // "FILE": --source=FILE narrows it; NULL: takes none
    bool is_data;         // one line an item, for grep and awk: other lines begin with "# "
};

// In the order in which --help lists them and a report shows them. The first is the default.
const struct mt_view *mt_views(size_t *count);

void mt_view_lines(struct mt_report *report, FILE *out);
void mt_view_peak(struct mt_report *report, FILE *out);
void mt_view_kinds(struct mt_report *report, FILE *out);
void mt_view_live(struct mt_report *report, FILE *out);
void mt_view_source(struct mt_report *report, FILE *out);
void mt_view_summary(struct mt_report *report, FILE *out);
void mt_view_errors(struct mt_report *report, FILE *out);
void mt_view_hidden(struct mt_report *report, FILE *out);
void mt_view_pools(struct mt_report *report, FILE *out);
void mt_view_coverage(struct mt_report *report, FILE *out);
void mt_view_ledger(struct mt_report *report, FILE *out);
void mt_view_dump(struct mt_report *report, FILE *out);

#endif
