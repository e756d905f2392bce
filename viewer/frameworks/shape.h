/*
 * Tensor shapes in the text of labels: "Size:(512, 512, 3, 3)", "sizes = [[8, 16]]", "weight (64, 3)". Called by the
 * model's marks, and by the line report to fill its Size column.
 */
#ifndef MEMTRACE_VIEWER_FRAMEWORKS_SHAPE_H
#define MEMTRACE_VIEWER_FRAMEWORKS_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MT_SHAPE_BYTES 96

bool mt_has_shape(const char *text);

// The shape that a label gives, if memory of this size can have it: an element has 1, 2, 4, 8 or 16 bytes, and an
// allocator may have rounded up to a multiple of 512. Of several shapes, an operator's inputs, it is that in which all
// work together element by element; a label where there is no such speaks of something else, and gives none.
// out: "(512, 512, 3, 3)".
bool mt_shape_of(const char *text, uint64_t bytes, char out[MT_SHAPE_BYTES]);

#endif
