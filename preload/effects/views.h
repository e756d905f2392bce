/*
 * What ends as memory does but is none of its own: a buffer mapped in external memory ends by cuMemFree, a mipmapped
 * array there, or a sparse array, whose memory is created and mapped apart, by the arrays' destroy calls. This
 * remembers which they are. Asking takes no lock.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_VIEWS_H
#define MEMTRACE_PRELOAD_EFFECTS_VIEWS_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

// `view`: the address of a buffer, the handle of an array; `bytes` of memory seen through it, in `context`.
void mt_view_add(uint64_t view, uint64_t bytes, CUcontext context);

// True if it was a view, with its bytes; it is one no longer. One load when there are none.
bool mt_view_take(uint64_t view, uint64_t *bytes);

// A context is gone, and with it its views: what comes at their places is something else.
void mt_views_context_ended(CUcontext context);

#endif
