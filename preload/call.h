/*
 * One call of the CUDA driver, as a feed hands it to the effect function of its entry point. Both feeds fill the same
 * thing, so what a call means for memory is written once.
 */
#ifndef MEMTRACE_PRELOAD_CALL_H
#define MEMTRACE_PRELOAD_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/newer_cuda.h"

struct mt_call {
    unsigned entry;         // enum mt_entry of entries.h
    const void *params;     // the <name>_params of generated_cuda_meta.h, valid during the call
    CUresult result;        // out-parameters may be looked at only if this is CUDA_SUCCESS and they are not NULL
    uint64_t enter_ns;      // mt_now_ns() before the real call; 0 when the feed did not see it begin
    CUcontext context;      // current in the calling thread when the call returned; NULL without one
    const char *symbol;     // launches: the kernel's mangled name where the feed knows it
    bool per_thread_stream; // a _ptsz form: stream 0 means the per-thread default stream
    bool nested;            // other calls of the list were recorded within this one
};

// Runs after the real call, under the guard.
typedef void mt_effect_fn(const struct mt_call *call);

#endif
