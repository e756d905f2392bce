/*
 * What the coverage programs on the driver API share: a device with its primary context, and a check that ends the
 * program at the first call that answers otherwise than the row says it must.
 */
#ifndef MEMTRACE_E2E_DRIVER_H
#define MEMTRACE_E2E_DRIVER_H

#include <cuda.h>

#include "tests/e2e/coverage/ledger.h"

// The call must succeed.
#define CU(call) driver_expect(CUDA_SUCCESS, (call), #call, __FILE__, __LINE__)

void driver_expect(CUresult expected, CUresult got, const char *call, const char *file, int line);

// cuInit, device 0, its primary context retained and current.
CUdevice driver_open(void);

// Whether device 0 answers a non-zero attribute.
int driver_has(CUdevice device, CUdevice_attribute attribute);

// A module of one empty kernel `nothing`, without parameters, in PTX text.
extern const char driver_ptx[];

// The code of device_code.cu as a fat binary, in the programs that link device_code.o.
extern const char driver_fatbin[];

CUmemLocation driver_location(CUdevice device);
CUmemAllocationProp driver_physical(CUdevice device); // pinned device memory, exportable as a file descriptor
CUmemPoolProps driver_pool(CUdevice device);

// Maps the first tile of a sparse array to a handle.
CUarrayMapInfo driver_tiles(CUdevice device, CUarray array, const CUDA_ARRAY_SPARSE_PROPERTIES *sparse,
                            CUmemGenericAllocationHandle handle);

#endif
