/*
 * Two devices that use each other's memory: it stays where it was made, and is counted there, once, however many
 * devices are let in and whichever of them it is asked for from.
 */
#include "tests/e2e/coverage/driver.h"
#include "tests/e2e/devices/runtime.h"

#define SIZE       (8 * MIB)
#define GRAPH_SIZE (64 * MIB) // graphs take memory in steps of 32 MiB

// Peer access and copies between devices bring no memory that the ledger knows.
static int copies(void) {
    RUNTIME(cudaSetDevice(0));
    RUNTIME(cudaDeviceEnablePeerAccess(1, 0));
    void *first = runtime_malloc(0, 4 * MIB);
    RUNTIME(cudaSetDevice(1));
    RUNTIME(cudaDeviceEnablePeerAccess(0, 0));
    void *second = runtime_malloc(1, 4 * MIB);
    RUNTIME(cudaMemset(second, 1, 4 * MIB));
    RUNTIME(cudaMemcpyPeer(first, 0, second, 1, 4 * MIB));
    RUNTIME(cudaMemcpyPeerAsync(second, 1, first, 0, 4 * MIB, 0));
    RUNTIME(cudaDeviceSynchronize());
    runtime_free(1, second, 4 * MIB);
    runtime_free(0, first, 4 * MIB);
    RUNTIME(cudaDeviceDisablePeerAccess(0));
    return 0;
}

static void reading(uint64_t in_use[2]) {
    for (int device = 0; device < 2; device++) {
        size_t unused, total;
        RUNTIME(cudaSetDevice(device));
        RUNTIME(cudaMemGetInfo(&unused, &total));
        in_use[device] = total - unused;
    }
}

// What mutual access takes of each device, for whoever wants to know: it is in no expectation.
static int cost(void) {
    uint64_t before[2], after[2];

    reading(before);
    RUNTIME(cudaDeviceEnablePeerAccess(0, 0));
    RUNTIME(cudaSetDevice(0));
    RUNTIME(cudaDeviceEnablePeerAccess(1, 0));
    reading(after);
    ledger_fact("taken-of-device-0", after[0] - before[0]);
    ledger_fact("taken-of-device-1", after[1] - before[1]);
    return 0;
}

// A pool of device 1, opened to device 0 and used on a stream of device 0.
static int foreign_pool(void) {
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice, .id = 1}};
    struct cudaMemAccessDesc access = {.location = {.type = cudaMemLocationTypeDevice, .id = 0},
                                       .flags = cudaMemAccessFlagsProtReadWrite};
    cudaMemPool_t pools[2];
    cudaStream_t stream;
    void *memory[2];

    RUNTIME(cudaMemPoolCreate(&pools[0], &properties));
    RUNTIME(cudaDeviceGetDefaultMemPool(&pools[1], 1));
    RUNTIME(cudaSetDevice(0));
    RUNTIME(cudaStreamCreate(&stream));
    for (int i = 0; i < 2; i++) {
        RUNTIME(cudaMemPoolSetAccess(pools[i], &access, 1));
        RUNTIME(cudaMallocFromPoolAsync(&memory[i], SIZE, pools[i], stream));
        ledger_device(1);
        ledger_plus(SIZE, "pool", "cuMemAllocFromPoolAsync");
    }
    for (int i = 0; i < 2; i++) {
        RUNTIME(cudaFreeAsync(memory[i], stream));
        ledger_minus(SIZE, "pool", "cuMemFreeAsync");
    }
    RUNTIME(cudaStreamSynchronize(stream));
    RUNTIME(cudaMemPoolDestroy(pools[0]));
    RUNTIME(cudaStreamDestroy(stream));
    return 0;
}

// What a foreign pool gave outlives a reset of the device that it was asked for from.
static int foreign_pool_kept(void) {
    struct cudaMemAccessDesc access = {.location = {.type = cudaMemLocationTypeDevice, .id = 0},
                                       .flags = cudaMemAccessFlagsProtReadWrite};
    cudaMemPool_t pool;
    void *memory;

    RUNTIME(cudaSetDevice(1));
    RUNTIME(cudaDeviceGetDefaultMemPool(&pool, 1));
    RUNTIME(cudaMemPoolSetAccess(pool, &access, 1));
    RUNTIME(cudaFree(0)); // the device's context is there from now on
    RUNTIME(cudaSetDevice(0));
    RUNTIME(cudaMallocFromPoolAsync(&memory, SIZE, pool, 0));
    ledger_device(1);
    ledger_plus(SIZE, "pool", "cuMemAllocFromPoolAsync");
    RUNTIME(cudaStreamSynchronize(0));
    RUNTIME(cudaDeviceReset());
    RUNTIME(cudaSetDevice(1));
    RUNTIME(cudaFreeAsync(memory, 0));
    ledger_minus(SIZE, "pool", "cuMemFreeAsync");
    RUNTIME(cudaStreamSynchronize(0));
    return 0;
}

static CUdeviceptr map_for_both(CUmemGenericAllocationHandle handle) {
    CUmemAccessDesc access[2] = {
        {.location = driver_location(0), .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
        {.location = driver_location(1), .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
    };
    CUdeviceptr address;

    CU(cuMemAddressReserve(&address, SIZE, 0, 0, 0));
    ledger_device(0);
    ledger_plus(SIZE, "address", "cuMemAddressReserve");
    CU(cuMemMap(address, SIZE, 0, handle, 0));
    CU(cuMemSetAccess(address, SIZE, access, 2));
    return address;
}

static void unreserve(CUdeviceptr address) {
    CU(cuMemAddressFree(address, SIZE));
    ledger_device(0);
    ledger_minus(SIZE, "address", "cuMemAddressFree");
}

static CUmemGenericAllocationHandle create_on(CUdevice device) {
    CUmemAllocationProp properties = driver_physical(device);
    CUmemGenericAllocationHandle handle;

    CU(cuMemCreate(&handle, SIZE, &properties, 0));
    ledger_device((unsigned)device);
    ledger_plus(SIZE, "physical", "cuMemCreate");
    return handle;
}

// Physical memory of each device, made and mapped while device 0 is current, open to both. An address range has no
// device: it is shown where it was asked for.
static int mapped_for_both(void) {
    CUmemGenericAllocationHandle handles[2];
    CUdeviceptr addresses[2];

    driver_open();
    for (int device = 0; device < 2; device++) {
        handles[device] = create_on(device);
        addresses[device] = map_for_both(handles[device]);
    }
    CU(cuMemUnmap(addresses[0], SIZE));
    CU(cuMemRelease(handles[0]));
    ledger_device(0);
    ledger_minus(SIZE, "physical", "cuMemRelease");
    CU(cuMemRelease(handles[1]));
    CU(cuMemUnmap(addresses[1], SIZE));
    ledger_device(1);
    ledger_minus(SIZE, "physical", "cuMemUnmap");
    for (int device = 0; device < 2; device++) unreserve(addresses[device]);
    return 0;
}

// A graph that allocates on device 1, run and trimmed while device 0 is current.
static int graph(void) {
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = driver_pool(1), .bytesize = GRAPH_SIZE};
    CUcontext contexts[2];
    CUstream stream;
    CUgraph steps;
    CUgraphNode first, last;
    CUgraphExec executable;

    driver_open();
    CU(cuCtxGetCurrent(&contexts[0]));
    CU(cuDevicePrimaryCtxRetain(&contexts[1], 1));
    CU(cuCtxSetCurrent(contexts[1]));
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuCtxSetCurrent(contexts[0]));
    CU(cuGraphCreate(&steps, 0));
    CU(cuGraphAddMemAllocNode(&first, steps, NULL, 0, &alloc));
    ledger_device(1);
    ledger_captured(GRAPH_SIZE, "graph", "cuGraphAddMemAllocNode");
    CU(cuGraphAddMemFreeNode(&last, steps, &first, 1, alloc.dptr));
    CU(cuGraphInstantiateWithFlags(&executable, steps, 0));
    if (cuGraphLaunch(executable, stream) != CUDA_SUCCESS) return ledger_skip("the graph does not run from elsewhere");
    ledger_plus(GRAPH_SIZE, "graph", "cuGraphLaunch");
    CU(cuStreamSynchronize(stream));
    CU(cuGraphExecDestroy(executable));
    CU(cuGraphDestroy(steps));
    CU(cuDeviceGraphMemTrim(1));
    ledger_minus(GRAPH_SIZE, "graph", "cuDeviceGraphMemTrim");
    CU(cuStreamDestroy(stream));
    return 0;
}

static int of_peers(int (*row)(void)) {
    return runtime_are_peers() ? row() : ledger_skip("the devices have no access to each other");
}

static int copies_of_peers(void) {
    return of_peers(copies);
}

static int cost_of_peers(void) {
    return of_peers(cost);
}

static int foreign_pool_of_peers(void) {
    return of_peers(foreign_pool);
}

static int foreign_pool_kept_of_peers(void) {
    return of_peers(foreign_pool_kept);
}

static int mapped_for_both_peers(void) {
    return of_peers(mapped_for_both);
}

static int graph_of_peers(void) {
    return of_peers(graph);
}

static const struct ledger_row rows[] = {
    {"copies", copies_of_peers},
    {"cost", cost_of_peers},
    {"foreign-pool", foreign_pool_of_peers},
    {"foreign-pool-kept", foreign_pool_kept_of_peers},
    {"graph", graph_of_peers},
    {"mapped-for-both", mapped_for_both_peers},
};
LEDGER_MAIN(rows)
