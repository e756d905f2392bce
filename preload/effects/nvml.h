/*
 * The memory that this process alone has on a device, as NVML tells it: on a shared GPU, what cuMemGetInfo says is
 * everybody's. NVML is asked when a device's first context is there and when exit begins; it takes milliseconds.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_NVML_H
#define MEMTRACE_PRELOAD_EFFECTS_NVML_H

#include <cuda.h>

#include "preload/call.h"

// Writes a SAMPLED effect of MT_SAMPLE_PROCESS for `device`, as an effect of `call`. Nothing where there is no NVML, or
// it does not know this process (a container that hides process ids). Under the guard.
void mt_nvml_sample(const struct mt_call *call, CUdevice device);

// The same for every device sampled before, without a call. Makes no CUDA call.
void mt_nvml_sample_all(void);

#endif
