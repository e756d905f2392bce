/*
 * Public case (rmm#1245): a pool of which little is used and much is reserved. Four blocks of 64 MiB, each followed by
 * one of 1 MiB; the large ones are freed.
 */
#include "tests/e2e/coverage/driver.h"

#define PAIRS 4

int main(void) {
    CUdevice device = driver_open();
    CUmemPoolProps properties = driver_pool(device);
    CUdeviceptr large[PAIRS], small[PAIRS];
    cuuint64_t keep_all = UINT64_MAX, reserved, used;
    CUmemoryPool pool;

    CU(cuMemPoolCreate(&pool, &properties));
    CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep_all));
    for (int i = 0; i < PAIRS; i++) {
        CU(cuMemAllocFromPoolAsync(&large[i], 64 * MIB, pool, NULL));
        CU(cuMemAllocFromPoolAsync(&small[i], 1 * MIB, pool, NULL));
        ledger_plus(64 * MIB, "pool", "cuMemAllocFromPoolAsync");
        ledger_plus(1 * MIB, "pool", "cuMemAllocFromPoolAsync");
    }
    for (int i = 0; i < PAIRS; i++) {
        CU(cuMemFreeAsync(large[i], NULL));
        ledger_minus(64 * MIB, "pool", "cuMemFreeAsync");
    }
    CU(cuStreamSynchronize(NULL));
    CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    ledger_fact("reserved", reserved);
    ledger_fact("used", used);
    ledger_end();
    return 0;
}
