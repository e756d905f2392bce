/*
 * Views of external memory: a mapped buffer ends by cuMemFree and a mapped mipmapped array by its own destroy call,
 * like memory of the process's own, which they are not. This remembers which are views. Lock-free.
 */
#ifndef MEMTRACE_PRELOAD_EXTERNAL_VIEWS_H
#define MEMTRACE_PRELOAD_EXTERNAL_VIEWS_H

#include <stdbool.h>
#include <stdint.h>

// `view`: the address of a buffer, the handle of an array; `bytes` of it. A table that is full forgets the newest.
void mt_external_view_add(uint64_t view, uint64_t bytes);

// True if it was a view, with its bytes; it is one no longer. One load when there are none.
bool mt_external_view_take(uint64_t view, uint64_t *bytes);

#endif
