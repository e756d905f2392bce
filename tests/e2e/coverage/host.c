/*
 * Coverage: host memory that the device may reach: cuMemAllocHost_v2, cuMemHostAlloc, cuMemFreeHost,
 * cuMemHostRegister_v2, cuMemHostUnregister. None of it is device memory.
 */
#include "tests/e2e/coverage/driver.h"

#include <stdlib.h>

static int alloc_host(void) {
    void *memory;

    driver_open();
    CU(cuMemAllocHost(&memory, 2 * MIB));
    ledger_plus(2 * MIB, "pinned", "cuMemAllocHost_v2");
    CU(cuMemFreeHost(memory));
    ledger_minus(2 * MIB, "pinned", "cuMemFreeHost");
    return 0;
}

// 3 bytes more than a page's multiple: what is taken is whole pages, what was asked for is what the report sums.
static int host_alloc(void) {
    void *mapped, *combined;

    driver_open();
    CU(cuMemHostAlloc(&mapped, 1 * MIB + 3, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
    ledger_plus(1 * MIB + 3, "pinned", "cuMemHostAlloc");
    CU(cuMemHostAlloc(&combined, 4 * MIB, CU_MEMHOSTALLOC_WRITECOMBINED));
    ledger_plus(4 * MIB, "pinned", "cuMemHostAlloc");
    CU(cuMemFreeHost(mapped));
    ledger_minus(1 * MIB + 3, "pinned", "cuMemFreeHost");
    CU(cuMemFreeHost(combined));
    ledger_minus(4 * MIB, "pinned", "cuMemFreeHost");
    return 0;
}

// Registering takes no memory of its own: malloc's is pinned for a while.
static int registered(void) {
    void *memory = aligned_alloc(4096, 1 * MIB);

    if (!memory) return 1;
    driver_open();
    CU(cuMemHostRegister(memory, 1 * MIB, CU_MEMHOSTREGISTER_PORTABLE));
    ledger_plus(1 * MIB, "registered", "cuMemHostRegister_v2");
    CU(cuMemHostUnregister(memory));
    ledger_minus(1 * MIB, "registered", "cuMemHostUnregister");
    free(memory);
    return 0;
}

static const struct ledger_row rows[] = {
    {"alloc-host", alloc_host},
    {"host-alloc", host_alloc},
    {"register", registered},
};
LEDGER_MAIN(rows)
