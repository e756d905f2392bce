/*
 * The size of memory that came in by a handle, which does not say it.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_MEM_RANGE_H
#define MEMTRACE_PRELOAD_EFFECTS_MEM_RANGE_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"

// Bytes of the allocation that holds `address`; 0 when the driver can't be asked. Under the guard.
static inline uint64_t mt_mem_range_bytes(CUdeviceptr address) {
    CUstreamCaptureMode mode;
    CUdeviceptr base;
    size_t bytes;
    if (!mt_driver.mem_get_address_range || !mt_ask_begin(&mode)) return 0;
    bool found = mt_driver.mem_get_address_range(&base, &bytes, address) == CUDA_SUCCESS;
    mt_ask_end(mode);
    return found ? bytes : 0;
}

#endif
