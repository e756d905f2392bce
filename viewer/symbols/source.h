/*
 * What each line of the program's own files did to device memory: allocated and freed in all, most of it live at once,
 * and live when most memory was in use. A line's figures include those of what it called, so that one sees both what
 * `train(model)` came to and which line inside it did it. Called by view_source.c.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_SOURCE_H
#define MEMTRACE_VIEWER_SYMBOLS_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/report.h"

struct mt_source_line {
    uint32_t number;
    uint64_t allocated, freed; // bytes
    uint64_t live, most;       // bytes: at the end, and at most
    uint64_t at_peak;          // bytes: when the device's total was largest
    uint64_t touch;            // while they are made: the last event that touched it
};

struct mt_source_file {
    const char *path;             // as the compiler or Python gives it; interned
    const char *folder;           // where a relative one starts; NULL: unknown
    struct mt_source_line *lines; // those with events, by number
    size_t count, capacity;
    uint64_t allocated; // by its lines, each allocation once
    uint64_t seen;      // while they are made: the last allocation that was added
};

struct mt_source {
    struct mt_source_file *files; // most allocated first
    size_t count, capacity;
};

// Of the devices that the options ask for.
void mt_source_make(struct mt_report *report, struct mt_source *out);
void mt_source_clear(struct mt_source *source);

#endif
