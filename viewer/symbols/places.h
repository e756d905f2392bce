/*
 * Places as text, the way the reports write them. Called by renderers and by what groups by place.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_PLACES_H
#define MEMTRACE_VIEWER_SYMBOLS_PLACES_H

#include "viewer/symbols/symbols.h"

struct mt_place_text {
    char text[512]; // cut, with "…" at the end, where a name is longer
};

// "train.cu:88 parameters_create"; "train.py:17 <module> (MmBackward0)"; "libcublas.so.13 cublasCreate_v2";
// "libx.so+0x12f0"; "0x7f0012f0"; "unknown".
struct mt_place_text mt_place_text(const struct mt_place *place);

// "train.cu line 141: main", and the same fallbacks.
struct mt_place_text mt_place_line_text(const struct mt_place *place);

// "train.cu parameters_create", and the same fallbacks.
struct mt_place_text mt_place_function_text(const struct mt_place *place);

#endif
