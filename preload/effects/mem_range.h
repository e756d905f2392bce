/*
 * The size of memory that came in by a handle, which does not say it.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_MEM_RANGE_H
#define MEMTRACE_PRELOAD_EFFECTS_MEM_RANGE_H

#include <cuda.h>
#include <stdint.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/session.h"

// Bytes of the allocation that holds `address`; 0 when the driver can't be asked. Under the guard.
static inline uint64_t mt_mem_range_bytes(CUdeviceptr address) {
    CUdeviceptr base;
    size_t bytes;
    if (!mt_driver.mem_get_address_range || !mt_session_may_call_cuda() || mt_capture_active()) return 0;
    return mt_driver.mem_get_address_range(&base, &bytes, address) == CUDA_SUCCESS ? bytes : 0;
}

#endif
