/*
 * The memory that this process alone has on a device, as NVML tells it: on a shared GPU, what cuMemGetInfo says is
 * everybody's. It takes milliseconds: NVML is asked when a device's first context is there, when exit begins, and in
 * between only while others use the device, or seem to.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_NVML_H
#define MEMTRACE_PRELOAD_EFFECTS_NVML_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/call.h"

// Loads NVML. Takes the loader's lock. Once, when the session starts.
void mt_nvml_start(void);

// Writes a SAMPLED effect of MT_SAMPLE_PROCESS for `device`, as an effect of `call`. Nothing where there is no NVML, or
// it does not know this process (a container that hides process ids). Under the guard.
void mt_nvml_sample(const struct mt_call *call, CUdevice device);

// Bytes that this process alone has on `device`, of whose memory `used` bytes are in use. False where NVML tells
// nothing, and where it need not be asked: no other process has a context there and `used` has not moved by much; or
// others have, and `used` has not moved. Makes no CUDA call.
bool mt_nvml_own(CUdevice device, uint64_t used, uint64_t *own);

// A sample as above of every device sampled before, without a call. Makes no CUDA call.
void mt_nvml_sample_all(void);

#endif
