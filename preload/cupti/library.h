/*
 * Which libcupti: it must belong to the CUDA of the process, and the process may already have one.
 */
#ifndef MEMTRACE_PRELOAD_CUPTI_LIBRARY_H
#define MEMTRACE_PRELOAD_CUPTI_LIBRARY_H

#include <cupti.h>
#include <stddef.h>

// The functions of libcupti that the feed needs.
struct mt_cupti {
    CUptiResult (*subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
    CUptiResult (*unsubscribe)(CUpti_SubscriberHandle);
    CUptiResult (*enable_callback)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId);
    CUptiResult (*get_callback_state)(uint32_t *, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId);
    CUptiResult (*get_version)(uint32_t *);
    CUptiResult (*get_result_string)(CUptiResult, const char **);
};

// Finds one and fills in its functions and its path. 0, or -1 when there is none.
int mt_cupti_library_open(struct mt_cupti *cupti, char *path, size_t path_bytes);

// A function of the libcupti that the library holding `caller` is linked against; with caller NULL, of any that is
// loaded. NULL if there is none.
void *mt_cupti_library_find(const char *name, const void *caller);

#endif
