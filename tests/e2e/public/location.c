/*
 * Public cases (HAMi-core#187, #313): physical memory with a place on the host is no device memory, and what a failed
 * call leaves in its out-parameters means nothing.
 */
#include "tests/e2e/coverage/driver.h"

static int on_host(void) {
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA, .id = 0}};
    CUmemGenericAllocationHandle handle;

    driver_open();
    if (cuMemCreate(&handle, 4 * MIB, &properties, 0) != CUDA_SUCCESS)
        return ledger_skip("the driver creates no memory on the host here");
    ledger_plus(4 * MIB, "physical", "cuMemCreate");
    CU(cuMemRelease(handle));
    ledger_minus(4 * MIB, "physical", "cuMemRelease");
    return 0;
}

// Each out-parameter holds what the call before it left there: a live address, a live handle.
static int stale_out(void) {
    CUdevice device = driver_open();
    CUmemAllocationProp properties = driver_physical(device);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;

    CU(cuMemAlloc(&address, 2 * MIB));
    ledger_plus(2 * MIB, "device", "cuMemAlloc_v2");
    CU(cuMemCreate(&handle, 4 * MIB, &properties, 0));
    ledger_plus(4 * MIB, "physical", "cuMemCreate");
    CUdeviceptr old_address = address;
    CUmemGenericAllocationHandle old_handle = handle;
    CUresult result = cuMemAlloc(&address, (size_t)1 << 45);
    ledger_failed((uint64_t)1 << 45, "device", "cuMemAlloc_v2", (int)result);
    result = cuMemCreate(&handle, (size_t)1 << 45, &properties, 0);
    ledger_failed((uint64_t)1 << 45, "physical", "cuMemCreate", (int)result);
    CU(cuMemFree(old_address));
    ledger_minus(2 * MIB, "device", "cuMemFree_v2");
    CU(cuMemRelease(old_handle));
    ledger_minus(4 * MIB, "physical", "cuMemRelease");
    return 0;
}

static const struct ledger_row rows[] = {
    {"on-host", on_host},
    {"stale-out", stale_out},
};
LEDGER_MAIN(rows)
