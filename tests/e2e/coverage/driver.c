/*
 * The start that every coverage program on the driver API makes. See driver.h.
 */
#include "tests/e2e/coverage/driver.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/faults/loader/shim.h"

const char driver_ptx[] = ".version 7.0\n"
                          ".target sm_52\n"
                          ".address_size 64\n"
                          ".visible .entry nothing()\n"
                          "{\n"
                          "    ret;\n"
                          "}\n";

void driver_expect(CUresult expected, CUresult got, const char *call, const char *file, int line) {
    if (got == expected) return;
    fprintf(stderr, "%s:%d: %s answered %d, not %d\n", file, line, call, (int)got, (int)expected);
    exit(1);
}

static void exit_begins(void) {
    loader_shim_watch(false);
}

CUdevice driver_open(void) {
    CUdevice device;
    CUcontext context;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
    if (loader_shim_watch) {
        loader_shim_watch(true);
        atexit(exit_begins);
    }
    return device;
}

int driver_has(CUdevice device, CUdevice_attribute attribute) {
    int value = 0;

    return cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS && value != 0;
}

CUmemLocation driver_location(CUdevice device) {
    return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
}

CUmemAllocationProp driver_physical(CUdevice device) {
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = driver_location(device)};
}

CUmemPoolProps driver_pool(CUdevice device) {
    return (CUmemPoolProps){.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = driver_location(device)};
}

CUarrayMapInfo driver_tiles(CUdevice device, CUarray array, const CUDA_ARRAY_SPARSE_PROPERTIES *sparse,
                            CUmemGenericAllocationHandle handle) {
    return (CUarrayMapInfo){.resourceType = CU_RESOURCE_TYPE_ARRAY,
                            .resource.array = array,
                            .subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL,
                            .subresource.sparseLevel = {.extentWidth = sparse->tileExtent.width,
                                                        .extentHeight = sparse->tileExtent.height,
                                                        .extentDepth = sparse->tileExtent.depth},
                            .memOperationType = CU_MEM_OPERATION_TYPE_MAP,
                            .memHandleType = CU_MEM_HANDLE_TYPE_GENERIC,
                            .memHandle.memHandle = handle,
                            .deviceBitMask = 1u << device};
}
