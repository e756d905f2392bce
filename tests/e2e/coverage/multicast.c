/*
 * Coverage: multicast objects. Creating one switches a fabric's state, so the rows run only where MEMTRACE_MULTICAST is
 * set, which the cases do on the simulated device alone.
 */
#include "tests/e2e/coverage/driver.h"

#include <stdlib.h>

#define SIZE (8 * MIB)

static CUdevice device;
static CUmemGenericAllocationHandle object;

static void create(void) {
    CUmulticastObjectProp properties = {.numDevices = 1, .size = SIZE};

    device = driver_open();
    CU(cuMulticastCreate(&object, &properties));
    CU(cuMulticastAddDevice(object, device));
}

static int allowed(void) {
    return getenv("MEMTRACE_MULTICAST") != NULL;
}

// The object holds no memory; what is bound to it is counted where it was created.
static int bind_memory(void) {
    CUmemAllocationProp physical;
    CUmemGenericAllocationHandle memory;

    if (!allowed()) return ledger_skip("multicast is for the simulated device");
    create();
    physical = driver_physical(device);
    CU(cuMemCreate(&memory, SIZE, &physical, 0));
    ledger_plus(SIZE, "physical", "cuMemCreate");
    CU(cuMulticastBindMem(object, 0, memory, 0, SIZE, 0));
    CU(cuMulticastUnbind(object, device, 0, SIZE));
    CU(cuMemRelease(memory));
    ledger_minus(SIZE, "physical", "cuMemRelease");
    CU(cuMemRelease(object));
    return 0;
}

static int bind_address(void) {
    CUdeviceptr address;

    if (!allowed()) return ledger_skip("multicast is for the simulated device");
    create();
    CU(cuMemAlloc(&address, SIZE));
    ledger_plus(SIZE, "device", "cuMemAlloc_v2");
    CU(cuMulticastBindAddr(object, 0, address, SIZE, 0));
    CU(cuMulticastUnbind(object, device, 0, SIZE));
    CU(cuMemFree(address));
    ledger_minus(SIZE, "device", "cuMemFree_v2");
    CU(cuMemRelease(object));
    return 0;
}

static const struct ledger_row rows[] = {
    {"bind-memory", bind_memory},
    {"bind-address", bind_address},
};
LEDGER_MAIN(rows)
