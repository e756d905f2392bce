/*
 * Coverage: memory shared by cuIpc handles. The importer does not own what it opens; the exporter's memory stays as
 * long as anyone holds it open.
 */
#include "tests/e2e/coverage/driver.h"
#include "tests/e2e/coverage/pair.h"

static int importer(int socket) {
    CUipcMemHandle handle;
    CUdeviceptr address;

    ledger_name("importer");
    pair_receive(socket, &handle, sizeof handle);
    driver_open();
    CU(cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ledger_plus(4 * MIB, "imported", "cuIpcOpenMemHandle_v2");
    pair_signal(socket);
    pair_wait(socket);
    CU(cuIpcCloseMemHandle(address));
    ledger_minus(4 * MIB, "imported", "cuIpcCloseMemHandle");
    ledger_end();
    pair_signal(socket);
    return 0;
}

static CUdeviceptr export_to(int socket) {
    CUipcMemHandle handle;
    CUdeviceptr address;

    driver_open();
    CU(cuMemAlloc(&address, 4 * MIB));
    ledger_plus(4 * MIB, "device", "cuMemAlloc_v2");
    CU(cuIpcGetMemHandle(&handle, address));
    pair_send(socket, &handle, sizeof handle);
    pair_wait(socket);
    return address;
}

static void free_exported(CUdeviceptr address) {
    CU(cuMemFree(address));
    ledger_minus(4 * MIB, "device", "cuMemFree_v2");
}

static int closed_first(void) {
    int socket = pair_fork(importer);

    CUdeviceptr address = export_to(socket);
    pair_signal(socket);
    pair_wait(socket);
    free_exported(address);
    return pair_join(socket);
}

// The exporter frees while the importer still holds the memory: in its own ledger it is gone.
static int held(void) {
    int socket = pair_fork(importer);

    CUdeviceptr address = export_to(socket);
    free_exported(address);
    pair_signal(socket);
    pair_wait(socket);
    return pair_join(socket);
}

// The importer ends with the memory open, the exporter with the memory live.
static int keeper(int socket) {
    CUipcMemHandle handle;
    CUdeviceptr address;

    ledger_name("importer");
    pair_receive(socket, &handle, sizeof handle);
    driver_open();
    CU(cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ledger_plus(4 * MIB, "imported", "cuIpcOpenMemHandle_v2");
    ledger_end();
    pair_signal(socket);
    return 0;
}

static int kept(void) {
    int socket = pair_fork(keeper);

    export_to(socket);
    return pair_join(socket);
}

static const struct ledger_row rows[] = {
    {"closed-first", closed_first},
    {"held", held},
    {"kept", kept},
};
LEDGER_MAIN(rows)
