/*
 * The table of views; see views.h.
 */
#include "viewer/views/views.h"

static const struct mt_view views[] = {
    {"lines", "What each line of the program did to memory, checkpoint by checkpoint (the default)", mt_view_lines,
     NULL, false},
    {"peak", "What was live when most memory was in use, for how long, and which line freed it", mt_view_peak, NULL,
     false},
    {"kinds", "Parameters, gradients, optimizer state, activations … at the peak and over steps", mt_view_kinds, NULL,
     false},
    {"live", "What is live at the end of the trace: leaks, if the program ended by itself", mt_view_live, NULL, false},
    {"source", "Your source, with what each line allocated, freed and kept beside it; of one file, or of all",
     mt_view_source, "FILE", false},
    {"summary", "The process, what was recorded, peaks, failed requests, losses", mt_view_summary, NULL, false},
    {"errors", "Every failed call, where it was made, and why it may have failed", mt_view_errors, NULL, false},
    {"hidden", "All device memory in use: allocated, taken by contexts, code and such, and unexplained", mt_view_hidden,
     NULL, false},
    {"pools", "Memory pools and a framework's caching allocator: reserved, handed out, and in what pieces the rest is",
     mt_view_pools, NULL, false},
    {"coverage",
     "Every entry point that is watched, what it does, what was seen of it; and those left out, with the reason",
     mt_view_coverage, NULL, false},
    {"ledger", "What came and went, one line a change, to the byte", mt_view_ledger, NULL, true},
    {"dump", "Every event, one a line, in order of time", mt_view_dump, NULL, true},
};

const struct mt_view *mt_views(size_t *count) {
    *count = sizeof(views) / sizeof(*views);
    return views;
}
