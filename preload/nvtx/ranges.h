/*
 * NVTX ranges and marks as events, and what is open before there is a trace.
 *
 * NVTX usually starts long before CUDA does. Until then, ranges leave no trace but a short list of what is open, per
 * thread (push/pop) and per process (start/end); it is written out when the session begins, so that the report knows
 * inside which ranges it began. Used by nvtx/callbacks.c.
 */
#ifndef MEMTRACE_PRELOAD_NVTX_RANGES_H
#define MEMTRACE_PRELOAD_NVTX_RANGES_H

#include <stdint.h>

#include "preload/nvtx/text.h"

// Each returns what the NVTX function returns: the level of the range within its domain, counted from 0, or
// NVTX_NO_PUSH_POP_TRACKING. NULL is the default domain.
int mt_nvtx_push(struct mt_nvtx_domain *domain, struct mt_nvtx_message *message);
int mt_nvtx_pop(struct mt_nvtx_domain *domain);

// `id` is the range's, unique in the process; mt_nvtx_new_range() makes one.
nvtxRangeId_t mt_nvtx_new_range(void);
void mt_nvtx_start(struct mt_nvtx_domain *domain, struct mt_nvtx_message *message, nvtxRangeId_t id);
void mt_nvtx_end(nvtxRangeId_t id);

void mt_nvtx_mark(struct mt_nvtx_domain *domain, struct mt_nvtx_message *message);

// Names for the report, kept as definitions; lost when there is no trace yet.
void mt_nvtx_name_thread(uint32_t tid, const char *name);
void mt_nvtx_name_category(struct mt_nvtx_domain *domain, uint32_t category, const char *name);

#endif
