/*
 * Coverage: virtual memory management. Physical memory comes at cuMemCreate and goes with the last of its handles'
 * references and mappings, wherever that is; an address range is no memory at all.
 */
#include "tests/e2e/coverage/driver.h"
#include "tests/e2e/coverage/pair.h"

#include <unistd.h>

#define SIZE (8 * MIB)

static CUdevice device;

static void open_device(void) {
    device = driver_open();
}

static CUdeviceptr reserve(uint64_t bytes) {
    CUdeviceptr address;

    CU(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    ledger_plus(bytes, "address", "cuMemAddressReserve");
    return address;
}

static void unreserve(CUdeviceptr address, uint64_t bytes) {
    CU(cuMemAddressFree(address, bytes));
    ledger_minus(bytes, "address", "cuMemAddressFree");
}

static CUmemGenericAllocationHandle create(void) {
    CUmemAllocationProp properties = driver_physical(device);
    CUmemGenericAllocationHandle handle;

    CU(cuMemCreate(&handle, SIZE, &properties, 0));
    ledger_plus(SIZE, "physical", "cuMemCreate");
    return handle;
}

static void map(CUdeviceptr address, CUmemGenericAllocationHandle handle) {
    CUmemAccessDesc access = {.location = driver_location(device), .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    CU(cuMemMap(address, SIZE, 0, handle, 0));
    CU(cuMemSetAccess(address, SIZE, &access, 1));
}

static int basic(void) {
    open_device();
    CUdeviceptr address = reserve(2 * SIZE);
    CUmemGenericAllocationHandle handle = create();
    map(address, handle);
    CU(cuMemUnmap(address, SIZE));
    CU(cuMemRelease(handle));
    ledger_minus(SIZE, "physical", "cuMemRelease");
    unreserve(address, 2 * SIZE);
    return 0;
}

// The usual order of PyTorch and JAX: the handle is released as soon as it is mapped.
static int released_first(void) {
    open_device();
    CUdeviceptr address = reserve(SIZE);
    CUmemGenericAllocationHandle handle = create();
    map(address, handle);
    CU(cuMemRelease(handle));
    CU(cuMemUnmap(address, SIZE));
    ledger_minus(SIZE, "physical", "cuMemUnmap");
    unreserve(address, SIZE);
    return 0;
}

static int retained(void) {
    CUmemGenericAllocationHandle again;

    open_device();
    CUdeviceptr address = reserve(SIZE);
    CUmemGenericAllocationHandle handle = create();
    map(address, handle);
    CU(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)address));
    CU(cuMemRelease(handle));
    CU(cuMemRelease(again));
    CU(cuMemUnmap(address, SIZE));
    ledger_minus(SIZE, "physical", "cuMemUnmap");
    unreserve(address, SIZE);
    return 0;
}

// One extra reference outlives the mapping.
static int retained_longer(void) {
    CUmemGenericAllocationHandle again;

    open_device();
    CUdeviceptr address = reserve(SIZE);
    CUmemGenericAllocationHandle handle = create();
    map(address, handle);
    CU(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)address));
    CU(cuMemUnmap(address, SIZE));
    CU(cuMemRelease(handle));
    CU(cuMemRelease(again));
    ledger_minus(SIZE, "physical", "cuMemRelease");
    unreserve(address, SIZE);
    return 0;
}

// One piece of memory at two addresses counts once.
static int mapped_twice(void) {
    open_device();
    CUdeviceptr address = reserve(2 * SIZE);
    CUmemGenericAllocationHandle handle = create();
    map(address, handle);
    map(address + SIZE, handle);
    CU(cuMemRelease(handle));
    CU(cuMemUnmap(address, SIZE));
    CU(cuMemUnmap(address + SIZE, SIZE));
    ledger_minus(SIZE, "physical", "cuMemUnmap");
    unreserve(address, 2 * SIZE);
    return 0;
}

// One cuMemUnmap over two mappings ends both.
static int unmapped_together(void) {
    open_device();
    CUdeviceptr address = reserve(2 * SIZE);
    CUmemGenericAllocationHandle first = create(), second = create();
    map(address, first);
    map(address + SIZE, second);
    CU(cuMemRelease(first));
    CU(cuMemRelease(second));
    CU(cuMemUnmap(address, 2 * SIZE));
    ledger_minus(SIZE, "physical", "cuMemUnmap");
    ledger_minus(SIZE, "physical", "cuMemUnmap");
    unreserve(address, 2 * SIZE);
    return 0;
}

// What a process exports to itself and imports again is still one piece of memory, be the second handle equal to the
// first or another one.
static int imported_back(void) {
    CUmemGenericAllocationHandle handle, again;
    int fd;

    open_device();
    handle = create();
    CU(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CU(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    if (again != handle) ledger_plus(0, "imported", "cuMemImportFromShareableHandle");
    close(fd);
    CU(cuMemRelease(again));
    if (again != handle) ledger_minus(0, "imported", "cuMemRelease");
    CU(cuMemRelease(handle));
    ledger_minus(SIZE, "physical", "cuMemRelease");
    return 0;
}

static int importer(int socket) {
    CUmemGenericAllocationHandle handle;

    ledger_name("importer");
    int fd = pair_receive_fd(socket);
    open_device();
    CU(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    ledger_plus(0, "imported",
                "cuMemImportFromShareableHandle"); // a handle does not tell its size, nor does the driver
    CUdeviceptr address = reserve(SIZE);
    map(address, handle);
    CU(cuMemUnmap(address, SIZE));
    unreserve(address, SIZE);
    CU(cuMemRelease(handle));
    ledger_minus(0, "imported", "cuMemRelease");
    ledger_end();
    pair_signal(socket);
    return 0;
}

static int shared(void) {
    int fd, socket = pair_fork(importer);

    open_device();
    CUmemGenericAllocationHandle handle = create();
    CU(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    pair_send_fd(socket, fd);
    close(fd);
    pair_wait(socket);
    CU(cuMemRelease(handle));
    ledger_minus(SIZE, "physical", "cuMemRelease");
    return pair_join(socket);
}

// Tiles of a sparse array backed by physical memory, asynchronously; the array itself has no memory.
static int sparse_array(void) {
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = 1024, .Height = 1024, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4, .Flags = CUDA_ARRAY3D_SPARSE};
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUmemAllocationProp properties;
    CUmemGenericAllocationHandle handle;
    CUarray array;

    open_device();
    if (!driver_has(device, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED))
        return ledger_skip("the device has no sparse arrays");
    properties = driver_physical(device);
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
    properties.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
    CU(cuArray3DCreate(&array, &shape));
    CU(cuArrayGetSparseProperties(&sparse, array));
    CU(cuMemCreate(&handle, SIZE, &properties, 0));
    ledger_plus(SIZE, "physical", "cuMemCreate");
    CUarrayMapInfo tiles = driver_tiles(device, array, &sparse, handle);
    CU(cuMemMapArrayAsync(&tiles, 1, NULL));
    tiles.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
    tiles.memHandle.memHandle = 0;
    CU(cuMemMapArrayAsync(&tiles, 1, NULL));
    CU(cuStreamSynchronize(NULL));
    CU(cuArrayDestroy(array));
    CU(cuMemRelease(handle));
    ledger_minus(SIZE, "physical", "cuMemRelease");
    return 0;
}

static const struct ledger_row rows[] = {
    {"basic", basic},
    {"released-first", released_first},
    {"retained", retained},
    {"retained-longer", retained_longer},
    {"mapped-twice", mapped_twice},
    {"unmapped-together", unmapped_together},
    {"imported-back", imported_back},
    {"shared", shared},
    {"sparse-array", sparse_array},
};
LEDGER_MAIN(rows)
