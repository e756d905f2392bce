/*
 * CUfunction handles → the trace's kernel ids. The same handle value can mean another kernel after its module was
 * unloaded, so everything known is forgotten then. Lock-free to read; all functions run under the guard.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_KERNELS_H
#define MEMTRACE_PRELOAD_EFFECTS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/call.h"

// The kernel behind a launch of `function`, which may also be a CUkernel; 0 when nobody knows its name. That is
// call->symbol or, without one, the driver's. *first becomes true once a kernel: at its first successful launch since
// the last unloading of code, or if that was while a stream captured, at the first one after it.
uint32_t mt_kernel_id(const struct mt_call *call, CUfunction function, bool *first);

// A handle was looked up by name (cuModuleGetFunction …): saves asking the driver, which is not possible in a capture.
void mt_kernel_named(const void *function, const char *name);

// True the first time since the last unloading of code: `call` asked for the function of `kernel`.
bool mt_kernel_first_lookup(const struct mt_call *call, CUkernel kernel);

// Code was unloaded, by itself or with its context.
void mt_kernels_forget(void);

#endif
