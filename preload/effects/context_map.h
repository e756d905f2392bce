/*
 * CUcontext handles → the trace's context ids. A handle value comes back after its context is destroyed, so an id means
 * one context's life. Lock-free to read; all functions run under the guard.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_CONTEXT_MAP_H
#define MEMTRACE_PRELOAD_EFFECTS_CONTEXT_MAP_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/call.h"

// The id of a context; one that was never seen being created is asked for its device if it is the thread's current one,
// unless a stream captures. 0 for NULL or when its device cannot be found out.
uint32_t mt_context_id(CUcontext context);

// A context was created on `device`: a new id. For a primary context that is already known, its old one, and *is_new
// becomes false.
uint32_t mt_context_created(CUcontext context, CUdevice device, bool primary, bool *is_new);

// A context is gone; returns the id it had, 0 if unknown. `before_ns`: a life of the handle that began after it is left
// alone, and the one before it has ended.
uint32_t mt_context_ended(CUcontext context, uint64_t before_ns);

// The same for the primary context of a device.
uint32_t mt_context_primary_ended(CUdevice device, uint64_t before_ns);

// A green context was created, which has a context that becomes known when it is current.
void mt_contexts_expect_found(void);

// Some context may have ended that was never seen being created: those that are still there are found anew.
void mt_contexts_forget_found(void);

// The primary context of a device; NULL when none is known or it has ended.
CUcontext mt_context_primary(CUdevice device);

// A context on the device that was seen created and has not ended, the primary one if possible; NULL if there is none.
CUcontext mt_context_on(CUdevice device);

// The context of a stream that `call` used: the current one's unless the process has contexts on several devices. Costs
// one load as long as it has not.
CUcontext mt_context_of_stream(const struct mt_call *call, CUstream stream);

// Asks the driver whether the context is the calling thread's current one.
bool mt_context_is_current(CUcontext context);

// The device of a context seen before; -1 if unknown.
int mt_context_device(CUcontext context);

#endif
