/*
 * CUfunction handles → the trace's kernel ids. The same handle value can mean another kernel after its module was
 * unloaded, so everything known is forgotten then. Lock-free to read; all functions run under the guard.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_KERNELS_H
#define MEMTRACE_PRELOAD_EFFECTS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/call.h"

// The kernel behind a launch of `function`, which may also be a CUkernel. The name is call->symbol or, without one,
// asks the driver. *first becomes true once a kernel: when it was not launched before since the last unloading of code.
uint32_t mt_kernel_id(const struct mt_call *call, CUfunction function, bool *first);

// A handle was looked up by name (cuModuleGetFunction …): saves asking the driver, which is not possible in a capture.
void mt_kernel_named(const void *function, const char *name);

// True the first time since the last unloading of code: the function of `kernel`, a CUkernel, was asked for.
bool mt_kernel_first_lookup(CUkernel kernel);

// Code was unloaded.
void mt_kernels_forget(void);

#endif
