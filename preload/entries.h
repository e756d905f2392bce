/*
 * The list of entry_points.h as numbers: MT_ENTRY_<name> is the row of each entry point in whatever has one for each.
 */
#ifndef MEMTRACE_PRELOAD_ENTRIES_H
#define MEMTRACE_PRELOAD_ENTRIES_H

#include "preload/entry_points.h"

enum mt_entry {
#define MT_X(name, ...) MT_ENTRY_##name,
#define MT_S(name, ...) MT_ENTRY_##name, MT_ENTRY_##name##_ptsz,
    MT_ENTRY_POINTS(MT_X, MT_S)
#undef MT_X
#undef MT_S
        MT_ENTRY_COUNT
};

#endif
