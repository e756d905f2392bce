/*
 * Which allocations are an allocator's segments? One cannot know at the moment of a cudaMalloc what will be carved out
 * of it, and counting a segment as used until its first block appears would show peaks that never were. So a pass of
 * its own finds them before any figure is taken. Only for traces that know of a framework's blocks.
 */
#ifndef MEMTRACE_VIEWER_MODEL_SEGMENTS_H
#define MEMTRACE_VIEWER_MODEL_SEGMENTS_H

#include "viewer/model/model.h"

// Finds the segments of a trace. The caller frees out->indices.
int mt_segments_find(struct mt_reader *reader, const struct mt_definitions *definitions, struct mt_segments *out);

#endif
