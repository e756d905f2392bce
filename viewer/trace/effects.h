/*
 * Names of what events did, to which kind of memory, and of what calls answered. Called by the views that print events
 * and failures.
 */
#ifndef MEMTRACE_VIEWER_TRACE_EFFECTS_H
#define MEMTRACE_VIEWER_TRACE_EFFECTS_H

#include <stdint.h>

const char *mt_effect_name(uint32_t effect); // "allocated"; "effect" for one that this viewer does not know
const char *mt_tag_name(uint32_t tag);       // "bytes"; NULL for one that it does not know
const char *mt_memory_name(uint32_t memory); // "device"; "unknown" for one that it does not know
const char *mt_result_name(uint64_t result); // "CUDA_ERROR_OUT_OF_MEMORY"; NULL for one it does not know

#endif
