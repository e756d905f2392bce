/*
 * What the user asked for on the command line; read by the views, written by main.c alone.
 */
#ifndef MEMTRACE_VIEWER_VIEWS_OPTIONS_H
#define MEMTRACE_VIEWER_VIEWS_OPTIONS_H

#include <stdint.h>

#include "viewer/base/units.h"

#define MT_ALL_DEVICES (-1)

struct mt_by;

struct mt_options {
    enum mt_units units;
    uint32_t top;           // rows of a table; 0: all
    const struct mt_by *by; // what tables are grouped by
    int device;             // ordinal, or MT_ALL_DEVICES
    const char *user_code;  // --user-code, or NULL
    const char *symfs;      // --symfs, or NULL
    const char *source;     // --source=FILE, or NULL: all files
};

#endif
