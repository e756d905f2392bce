/*
 * How long what was live at one moment had been live, and when and by whom it was freed: who wonders what could have
 * been freed earlier looks for what had been there for long, or stayed for long. Nothing here tells whether it was
 * still in use. Called by the view of the peak.
 */
#ifndef MEMTRACE_VIEWER_LIVES_H
#define MEMTRACE_VIEWER_LIVES_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/report.h"

// Allocations of one group (by.h) that were freed at one call site, or never.
struct mt_lives_row {
    const char *label; // of the group; interned by the report
    const char *end;   // call site; NULL: live at the end of the trace
    uint64_t bytes, count;
    uint64_t before_ns; // for how long the oldest had been live
    uint64_t after_ns;  // when the last was freed, from the moment on
};

struct mt_lives;

// To be told of every change. An account's moment comes with mt_lives_take: what is live in its total then.
struct mt_lives *mt_lives_new(const struct mt_report *report);
void mt_lives_take(struct mt_lives *lives, const struct mt_model *model, const struct mt_account *account,
                   uint64_t time_ns);
void mt_lives_follow(struct mt_lives *lives, const struct mt_change *change);
// Most bytes first; valid until mt_lives_free.
const struct mt_lives_row *mt_lives_rows(struct mt_lives *lives, size_t *count);
void mt_lives_free(struct mt_lives *lives);

#endif
