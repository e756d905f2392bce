/*
 * Two processes, each on a device of its own, that open each other's memory, as the ranks of a training run do. What a
 * process opened is never its own: it is counted once, by the process and on the device that made it.
 */
#include "tests/e2e/coverage/driver.h"
#include "tests/e2e/coverage/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void open_device(CUdevice device) {
    CUcontext context;

    CU(cuInit(0));
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
    ledger_device((unsigned)device);
}

// Says why and ends well where a device has no way to the other's memory; both processes find out for themselves.
static void require_peers(CUdevice device) {
    int able = 0;

    CU(cuDeviceCanAccessPeer(&able, device, 1 - device));
    if (able) return;
    if (device == 0) ledger_skip("the devices have no access to each other");
    exit(0);
}

static CUdeviceptr allocate(uint64_t bytes) {
    CUdeviceptr address;

    CU(cuMemAlloc(&address, bytes));
    ledger_plus(bytes, "device", "cuMemAlloc_v2");
    return address;
}

static void send_handle(int socket, CUdeviceptr address) {
    CUipcMemHandle handle;

    CU(cuIpcGetMemHandle(&handle, address));
    pair_send(socket, &handle, sizeof handle);
}

static CUdeviceptr open_handle(int socket, uint64_t bytes) {
    CUipcMemHandle handle;
    CUdeviceptr address;

    pair_receive(socket, &handle, sizeof handle);
    CU(cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ledger_plus(bytes, "imported", "cuIpcOpenMemHandle_v2");
    return address;
}

// Each has memory of its own and opens the other's; all is closed before anything is freed.
static void exchange(int socket, uint64_t own_bytes, uint64_t their_bytes) {
    CUdeviceptr own = allocate(own_bytes);
    send_handle(socket, own);
    CUdeviceptr theirs = open_handle(socket, their_bytes);
    pair_signal(socket);
    pair_wait(socket);
    CU(cuIpcCloseMemHandle(theirs));
    ledger_minus(their_bytes, "imported", "cuIpcCloseMemHandle");
    pair_signal(socket);
    pair_wait(socket);
    CU(cuMemFree(own));
    ledger_minus(own_bytes, "device", "cuMemFree_v2");
}

static int exchanging_child(int socket) {
    ledger_name("importer");
    open_device(1);
    require_peers(1);
    exchange(socket, 6 * MIB, 4 * MIB);
    ledger_end();
    return 0;
}

static int exchanged(void) {
    int socket = pair_fork(exchanging_child);

    open_device(0);
    require_peers(0);
    exchange(socket, 4 * MIB, 6 * MIB);
    return pair_join(socket);
}

#define PHYSICAL (8 * MIB)

// Physical memory of device 0, handed over as a file descriptor and mapped for device 1.
static int mapping_child(int socket) {
    CUmemAccessDesc access = {.location = driver_location(1), .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;

    ledger_name("importer");
    open_device(1);
    require_peers(1);
    int fd = pair_receive_fd(socket);
    CU(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    ledger_plus(0, "imported", "cuMemImportFromShareableHandle"); // a handle does not tell its size
    CU(cuMemAddressReserve(&address, PHYSICAL, 0, 0, 0));
    ledger_plus(PHYSICAL, "address", "cuMemAddressReserve");
    CU(cuMemMap(address, PHYSICAL, 0, handle, 0));
    CU(cuMemSetAccess(address, PHYSICAL, &access, 1));
    CU(cuMemUnmap(address, PHYSICAL));
    CU(cuMemAddressFree(address, PHYSICAL));
    ledger_minus(PHYSICAL, "address", "cuMemAddressFree");
    CU(cuMemRelease(handle));
    ledger_minus(0, "imported", "cuMemRelease");
    ledger_end();
    pair_signal(socket);
    return 0;
}

static int mapped(void) {
    int fd, socket = pair_fork(mapping_child);
    CUmemAllocationProp properties = driver_physical(0);
    CUmemGenericAllocationHandle handle;

    open_device(0);
    require_peers(0);
    CU(cuMemCreate(&handle, PHYSICAL, &properties, 0));
    ledger_plus(PHYSICAL, "physical", "cuMemCreate");
    CU(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    pair_send_fd(socket, fd);
    close(fd);
    pair_wait(socket);
    CU(cuMemRelease(handle));
    ledger_minus(PHYSICAL, "physical", "cuMemRelease");
    return pair_join(socket);
}

static const struct ledger_row rows[] = {
    {"exchanged", exchanged},
    {"mapped", mapped},
};
LEDGER_MAIN(rows)
