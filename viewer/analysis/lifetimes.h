/*
 * How long what was live at one moment had been live, and when and by whom it was freed: who wonders what could have
 * been freed earlier looks for what had been there for long, or stayed for long. Nothing here tells whether it was
 * still in use. Called by the view of the peak.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_LIFETIMES_H
#define MEMTRACE_VIEWER_ANALYSIS_LIFETIMES_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/report.h"

// Allocations of one group (by.h) that were freed at one call site, or never.
struct mt_lifetimes_row {
    const char *label; // of the group; interned by the report
    const char *end;   // call site; NULL: live at the end of the trace
    uint64_t bytes, count;
    uint64_t before_ns; // for how long the oldest had been live
    uint64_t after_ns;  // when the last was freed, from the moment on
};

struct mt_lifetimes;

// To be told of every change. An account's moment comes with mt_lifetimes_take: what is live in its total then.
struct mt_lifetimes *mt_lifetimes_new(const struct mt_report *report);
void mt_lifetimes_take(struct mt_lifetimes *lives, const struct mt_model *model, const struct mt_account *account,
                       uint64_t time_ns);
void mt_lifetimes_follow(struct mt_lifetimes *lives, const struct mt_change *change);
// Most bytes first; valid until mt_lifetimes_free.
const struct mt_lifetimes_row *mt_lifetimes_rows(struct mt_lifetimes *lives, size_t *count);
void mt_lifetimes_free(struct mt_lifetimes *lives);

#endif
