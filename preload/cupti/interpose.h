/*
 * Another CUPTI client: cuptiSubscribe and cuptiSubscribe_v2 are interposed, so that ours can go when it comes, and
 * cuptiFinalize, which takes CUPTI from all of its clients at once.
 */
#ifndef MEMTRACE_PRELOAD_CUPTI_INTERPOSE_H
#define MEMTRACE_PRELOAD_CUPTI_INTERPOSE_H

#include <stdbool.h>

bool mt_cupti_is_hooked(const char *name);

// Our hook for `name`, which is one of the three.
void *mt_cupti_hook(const char *name);

// A lookup for `name` found `function`: the hook will call that; returns the hook.
void *mt_cupti_replacement(const char *name, void *function);

#endif
