/*
 * One trace, opened for reporting: its definitions, the means to resolve them, the survey of a first pass, and replay,
 * by which an analysis watches the trace go by once more. Each analysis replays the trace for itself: a pass over a
 * million events takes a fraction of a second, and no analysis need know of another.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_REPORT_H
#define MEMTRACE_VIEWER_ANALYSIS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tracer/reader.h"
#include "viewer/base/intern.h"
#include "viewer/frameworks/ends.h"
#include "viewer/model/model.h"
#include "viewer/model/segments.h"
#include "viewer/symbols/stacks.h"
#include "viewer/symbols/symbols.h"
#include "viewer/trace/definitions.h"
#include "viewer/views/options.h"

#define MT_EFFECT_SLOTS 64
#define MT_NOTE_SLOTS   32

// What a framework says of its allocator, where the ledgers say something else.
struct mt_wrong_figures {
    uint64_t time_ns;
    uint64_t allocated, allocated_there; // bytes by the ledgers, and by the framework
    uint64_t reserved, reserved_there;
};

// What the first pass found.
struct mt_survey {
    uint64_t events; // all records with a time
    uint64_t effects[MT_EFFECT_SLOTS];
    uint64_t lost; // by the marks in the streams
    uint64_t first_time_ns, last_time_ns;
    uint64_t unknown_frees; // of what was not seen allocated
    uint64_t unseen_ends;   // addresses handed out again without a free
    uint64_t implied_frees; // by a context's end
    // A framework's own account of what it allocated and reserved, held against the ledgers.
    uint64_t figures, wrong_figures;
    struct mt_wrong_figures first_wrong;
    // What the tracer wants said, changes of the feed among it: string ids, each once, the first ones.
    uint32_t notes[MT_NOTE_SLOTS];
    uint32_t note_count;
};

struct mt_report {
    const char *path;
    const struct mt_options *options;
    struct mt_reader *reader;
    struct mt_definitions *definitions;
    struct mt_symbols *symbols;
    struct mt_stacks *stacks;
    struct mt_intern_pool *texts; // what analyses make up, such as shapes
    struct mt_segments segments;
    struct mt_ends *endings; // for the stacks
    struct mt_survey survey;
    struct mt_model *end; // the model as the trace leaves it, with all peaks
};

// False, with one line in *error (the caller frees it), when nothing of the file can be read.
bool mt_report_open(const char *path, const struct mt_options *options, struct mt_report *out, char **error);
void mt_report_close(struct mt_report *report);

// Plays all events through a fresh model. Returns what the observer stopped with, or 0.
int mt_report_replay(const struct mt_report *report, mt_observer_fn *observer, void *user);

// A ledger that a view reports on: a device, or the host.
struct mt_account {
    bool host;
    bool tensors; // a framework's allocator works on this device: its blocks alone make up the total
    uint32_t device;
};

// The account of a device of this trace.
struct mt_account mt_account_of_device(const struct mt_report *report, uint32_t device);

// Whether a live allocation belongs to an account: to its total, to an allocator's segments, or beside the tensors.
bool mt_account_holds(const struct mt_account *account, const struct mt_live *live);

// Whether it belongs to its total.
bool mt_account_totals(const struct mt_account *account, const struct mt_live *live);

// What an account's total is made of; segments are not, their blocks are. On a device with a framework's allocator this
// is what the framework calls allocated; what libraries took from the driver themselves stands beside it.
const struct mt_tally *mt_account_tally(const struct mt_account *account, const struct mt_ledgers *ledgers);

// "Device 0 (NVIDIA H200)", "Host memory (pinned, registered, managed)". The caller frees it.
char *mt_account_name(const struct mt_account *account, const struct mt_report *report);

// The accounts to report on, in order, as options and trace have it. The caller frees them; never NULL.
struct mt_account *mt_report_accounts(const struct mt_report *report, uint32_t *count);

// Says that there is no account to report on.
void mt_report_nothing(const struct mt_report *report, FILE *out);

// A moment, in seconds since the trace began.
double mt_report_seconds(const struct mt_report *report, uint64_t time_ns);

#endif
