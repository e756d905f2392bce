/*
 * Coverage: device memory by address, through the driver API: cuMemAlloc_v2, cuMemAllocPitch_v2, cuMemAllocManaged,
 * cuMemFree_v2. The runtime's names for them are in runtime.c, the 32-bit forms in legacy.c.
 */
#include "tests/e2e/coverage/driver.h"

static int alloc(void) {
    CUdeviceptr small, large;

    driver_open();
    CU(cuMemAlloc(&small, 100));
    ledger_plus(100, "device", "cuMemAlloc_v2");
    CU(cuMemAlloc(&large, 3 * MIB));
    ledger_plus(3 * MIB, "device", "cuMemAlloc_v2");
    CU(cuMemFree(small));
    ledger_minus(100, "device", "cuMemFree_v2");
    CU(cuMemFree(large));
    ledger_minus(3 * MIB, "device", "cuMemFree_v2");
    return 0;
}

// 1000 bytes a row are laid out 1024 apart.
static int pitch(void) {
    CUdeviceptr address;
    size_t stride;

    driver_open();
    CU(cuMemAllocPitch(&address, &stride, 1000, 1000, 4));
    ledger_plus(stride * 1000, "pitched", "cuMemAllocPitch_v2");
    CU(cuMemFree(address));
    ledger_minus(stride * 1000, "pitched", "cuMemFree_v2");
    return 0;
}

static int managed(void) {
    CUdeviceptr address;

    driver_open();
    CU(cuMemAllocManaged(&address, 8 * MIB, CU_MEM_ATTACH_GLOBAL));
    ledger_plus(8 * MIB, "managed", "cuMemAllocManaged");
    CU(cuMemFree(address));
    ledger_minus(8 * MIB, "managed", "cuMemFree_v2");
    return 0;
}

// The same address again and again, and one that stays until the process ends.
static int reuse(void) {
    CUdeviceptr address;

    driver_open();
    for (int i = 1; i <= 8; i++) {
        CU(cuMemAlloc(&address, (uint64_t)i * MIB));
        ledger_plus((uint64_t)i * MIB, "device", "cuMemAlloc_v2");
        CU(cuMemFree(address));
        ledger_minus((uint64_t)i * MIB, "device", "cuMemFree_v2");
    }
    CU(cuMemAlloc(&address, 5 * MIB));
    ledger_plus(5 * MIB, "device", "cuMemAlloc_v2");
    return 0;
}

static const struct ledger_row rows[] = {
    {"alloc", alloc},
    {"pitch", pitch},
    {"managed", managed},
    {"reuse", reuse},
};
LEDGER_MAIN(rows)
