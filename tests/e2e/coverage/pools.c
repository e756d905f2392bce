/*
 * Coverage: stream-ordered memory through the driver API: default pool, own pools, trim, attributes, the pool of a
 * device and of a location, and a pool shared with a second process. "fact reserved" and "fact used" are the pool's own
 * figures, the two that users mistake for each other.
 */
#include "tests/e2e/coverage/driver.h"
#include "tests/e2e/coverage/pair.h"

static CUmemoryPool pool_of(CUdevice device, CUmemAllocationHandleType exported_as) {
    CUmemPoolProps properties = driver_pool(device);
    CUmemoryPool pool;

    properties.handleTypes = exported_as;
    CU(cuMemPoolCreate(&pool, &properties));
    return pool;
}

static CUdeviceptr allocate(CUstream stream, uint64_t bytes) {
    CUdeviceptr address;

    CU(cuMemAllocAsync(&address, bytes, stream));
    ledger_plus(bytes, "pool", "cuMemAllocAsync");
    return address;
}

static CUdeviceptr allocate_from(CUmemoryPool pool, CUstream stream, uint64_t bytes) {
    CUdeviceptr address;

    CU(cuMemAllocFromPoolAsync(&address, bytes, pool, stream));
    ledger_plus(bytes, "pool", "cuMemAllocFromPoolAsync");
    return address;
}

static void release(CUdeviceptr address, CUstream stream, uint64_t bytes) {
    CU(cuMemFreeAsync(address, stream));
    ledger_minus(bytes, "pool", "cuMemFreeAsync");
}

static void print_pool(CUmemoryPool pool) {
    cuuint64_t reserved, used;

    CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    ledger_fact("reserved", reserved);
    ledger_fact("used", used);
}

static int default_pool(void) {
    CUdevice device = driver_open();
    CUmemoryPool pool;
    CUstream stream;

    CU(cuDeviceGetDefaultMemPool(&pool, device));
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUdeviceptr first = allocate(stream, 10 * MIB);
    CUdeviceptr second = allocate(stream, 10 * MIB);
    CUdeviceptr third = allocate(stream, 100 * MIB);
    print_pool(pool);
    release(first, stream, 10 * MIB);
    release(second, stream, 10 * MIB);
    release(third, stream, 100 * MIB);
    CU(cuStreamSynchronize(stream));
    print_pool(pool);
    CU(cuStreamDestroy(stream));
    return 0;
}

// cuMemFree takes stream-ordered memory too.
static int free_at_once(void) {
    driver_open();
    CUdeviceptr address = allocate(NULL, 6 * MIB);
    CU(cuStreamSynchronize(NULL));
    CU(cuMemFree(address));
    ledger_minus(6 * MIB, "pool", "cuMemFree_v2");
    return 0;
}

static int own_pool(void) {
    CUdevice device = driver_open();
    CUmemoryPool pool = pool_of(device, CU_MEM_HANDLE_TYPE_NONE);

    CUdeviceptr address = allocate_from(pool, NULL, 5 * MIB);
    print_pool(pool);
    release(address, NULL, 5 * MIB);
    CU(cuStreamSynchronize(NULL));
    CU(cuMemPoolDestroy(pool));
    return 0;
}

// With a release threshold a pool keeps what was freed, until it is trimmed.
static int trim(void) {
    CUdevice device = driver_open();
    CUmemoryPool pool = pool_of(device, CU_MEM_HANDLE_TYPE_NONE);
    cuuint64_t keep_all = UINT64_MAX;

    CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep_all));
    CUdeviceptr address = allocate_from(pool, NULL, 64 * MIB);
    release(address, NULL, 64 * MIB);
    CU(cuStreamSynchronize(NULL));
    print_pool(pool);
    CU(cuMemPoolTrimTo(pool, 0));
    print_pool(pool);
    CU(cuMemPoolDestroy(pool));
    return 0;
}

// cuMemAllocAsync takes from the device's current pool, whichever that is.
static int device_pool(void) {
    CUdevice device = driver_open();
    CUmemoryPool usual, own = pool_of(device, CU_MEM_HANDLE_TYPE_NONE);

    CU(cuDeviceGetMemPool(&usual, device));
    CU(cuDeviceSetMemPool(device, own));
    CUdeviceptr address = allocate(NULL, 7 * MIB);
    print_pool(own);
    release(address, NULL, 7 * MIB);
    CU(cuStreamSynchronize(NULL));
    CU(cuDeviceSetMemPool(device, usual));
    CU(cuMemPoolDestroy(own));
    return 0;
}

// The same by location, as CUDA 13 has it.
static int location_pool(void) {
    CUdevice device = driver_open();
    CUmemLocation location = driver_location(device);
    CUmemoryPool standard, current, own = pool_of(device, CU_MEM_HANDLE_TYPE_NONE);

    CU(cuMemGetDefaultMemPool(&standard, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
    CU(cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, own));
    CU(cuMemGetMemPool(&current, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
    if (current != own) return 1;
    CUdeviceptr address = allocate(NULL, 9 * MIB);
    release(address, NULL, 9 * MIB);
    CU(cuStreamSynchronize(NULL));
    CU(cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, standard));
    CU(cuMemPoolDestroy(own));
    return 0;
}

static int access_rights(void) {
    CUdevice device = driver_open();
    CUmemoryPool pool = pool_of(device, CU_MEM_HANDLE_TYPE_NONE);
    CUmemAccessDesc access = {.location = driver_location(device), .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    CU(cuMemPoolSetAccess(pool, &access, 1));
    CUdeviceptr address = allocate_from(pool, NULL, 3 * MIB);
    release(address, NULL, 3 * MIB);
    CU(cuStreamSynchronize(NULL));
    CU(cuMemPoolDestroy(pool));
    return 0;
}

// A pool destroyed while memory of it is in use lives until that memory is freed.
static int destroyed_early(void) {
    CUdevice device = driver_open();
    CUmemoryPool pool = pool_of(device, CU_MEM_HANDLE_TYPE_NONE);

    CUdeviceptr address = allocate_from(pool, NULL, 11 * MIB);
    CU(cuMemPoolDestroy(pool));
    release(address, NULL, 11 * MIB);
    CU(cuStreamSynchronize(NULL));
    return 0;
}

static int importer(int socket) {
    CUmemPoolPtrExportData exported;
    CUmemoryPool pool;
    CUdeviceptr address;

    ledger_name("importer");
    int fd = pair_receive_fd(socket);
    pair_receive(socket, &exported, sizeof exported);
    CUdevice device = driver_open();
    CUmemAccessDesc access = {.location = driver_location(device), .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    CU(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CU(cuMemPoolSetAccess(pool, &access, 1));
    CU(cuMemPoolImportPointer(&address, pool, &exported));
    ledger_plus(2 * MIB, "imported", "cuMemPoolImportPointer");
    CU(cuMemFreeAsync(address, NULL));
    ledger_minus(2 * MIB, "imported", "cuMemFreeAsync");
    CU(cuStreamSynchronize(NULL));
    CU(cuMemPoolDestroy(pool));
    ledger_end();
    pair_signal(socket);
    return 0;
}

// The importer never owns the memory, and frees its view before the exporter frees the memory.
static int shared(void) {
    int fd, socket = pair_fork(importer);
    CUdevice device = driver_open();
    CUmemoryPool pool = pool_of(device, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    CUmemPoolPtrExportData exported;

    CUdeviceptr address = allocate_from(pool, NULL, 2 * MIB);
    CU(cuStreamSynchronize(NULL));
    CU(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CU(cuMemPoolExportPointer(&exported, address));
    pair_send_fd(socket, fd);
    pair_send(socket, &exported, sizeof exported);
    pair_wait(socket);
    release(address, NULL, 2 * MIB);
    CU(cuStreamSynchronize(NULL));
    CU(cuMemPoolDestroy(pool));
    return pair_join(socket);
}

// A pool of host memory hands out none of the device's.
static int host_pool(void) {
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA};
    CUmemoryPool pool;
    CUdeviceptr address;

    driver_open();
    if (cuMemPoolCreate(&pool, &properties) != CUDA_SUCCESS) return ledger_skip("no pools of host memory");
    CU(cuMemAllocFromPoolAsync(&address, 6 * MIB, pool, NULL));
    ledger_plus(6 * MIB, "pinned", "cuMemAllocFromPoolAsync");
    CU(cuStreamSynchronize(NULL));
    CU(cuMemFreeAsync(address, NULL));
    ledger_minus(6 * MIB, "pinned", "cuMemFreeAsync");
    CU(cuStreamSynchronize(NULL));
    CU(cuMemPoolDestroy(pool));
    return 0;
}

static const struct ledger_row rows[] = {
    {"default", default_pool},
    {"free-at-once", free_at_once},
    {"own", own_pool},
    {"trim", trim},
    {"device-pool", device_pool},
    {"location-pool", location_pool},
    {"access", access_rights},
    {"destroyed-early", destroyed_early},
    {"host", host_pool},
    {"shared", shared},
};
LEDGER_MAIN(rows)
