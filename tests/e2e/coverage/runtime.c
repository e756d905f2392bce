/*
 * Coverage: the runtime's names, which end in driver entry points: one event each, never two. Built twice, with the
 * shared and with the static runtime (which finds the driver by dlopen and cuGetProcAddress).
 */
#include <stdlib.h>

#include "tests/e2e/coverage/ledger.h"
#include "tests/e2e/coverage/runtime.h"

static struct cudaExtent extent(size_t width, size_t height, size_t depth) {
    return (struct cudaExtent){.width = width, .height = height, .depth = depth};
}

static int linear(void) {
    void *plain, *pitched, *managed;
    struct cudaPitchedPtr box;
    size_t stride;

    RUNTIME(cudaMalloc(&plain, 1 * MIB));
    ledger_plus(1 * MIB, "device", "cuMemAlloc_v2");
    RUNTIME(cudaMallocPitch(&pitched, &stride, 1000, 1000));
    ledger_plus(stride * 1000, "pitched", "cuMemAllocPitch_v2");
    RUNTIME(cudaMalloc3D(&box, extent(1000, 100, 10)));
    ledger_plus(box.pitch * 1000, "pitched", "cuMemAllocPitch_v2");
    RUNTIME(cudaMallocManaged(&managed, 8 * MIB, cudaMemAttachGlobal));
    ledger_plus(8 * MIB, "managed", "cuMemAllocManaged");
    RUNTIME(cudaFree(plain));
    ledger_minus(1 * MIB, "device", "cuMemFree_v2");
    RUNTIME(cudaFree(pitched));
    ledger_minus(stride * 1000, "pitched", "cuMemFree_v2");
    RUNTIME(cudaFree(box.ptr));
    ledger_minus(box.pitch * 1000, "pitched", "cuMemFree_v2");
    RUNTIME(cudaFree(managed));
    ledger_minus(8 * MIB, "managed", "cuMemFree_v2");
    return 0;
}

static int host(void) {
    void *pinned, *portable, *own = aligned_alloc(4096, 1 * MIB);

    if (!own) return 1;
    RUNTIME(cudaMallocHost(&pinned, 2 * MIB));
    ledger_plus(2 * MIB, "pinned", "cuMemHostAlloc");
    RUNTIME(cudaHostAlloc(&portable, 3 * MIB, cudaHostAllocPortable));
    ledger_plus(3 * MIB, "pinned", "cuMemHostAlloc");
    RUNTIME(cudaHostRegister(own, 1 * MIB, cudaHostRegisterDefault));
    ledger_plus(1 * MIB, "registered", "cuMemHostRegister_v2");
    RUNTIME(cudaHostUnregister(own));
    ledger_minus(1 * MIB, "registered", "cuMemHostUnregister");
    RUNTIME(cudaFreeHost(pinned));
    ledger_minus(2 * MIB, "pinned", "cuMemFreeHost");
    RUNTIME(cudaFreeHost(portable));
    ledger_minus(3 * MIB, "pinned", "cuMemFreeHost");
    free(own);
    return 0;
}

static int pools(void) {
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
    cudaMemPool_t pool;
    void *first, *second;

    RUNTIME(cudaMemPoolCreate(&pool, &properties));
    RUNTIME(cudaMallocAsync(&first, 10 * MIB, 0));
    ledger_plus(10 * MIB, "pool", "cuMemAllocAsync");
    RUNTIME(cudaMallocFromPoolAsync(&second, 5 * MIB, pool, 0));
    ledger_plus(5 * MIB, "pool", "cuMemAllocFromPoolAsync");
    RUNTIME(cudaFreeAsync(first, 0));
    ledger_minus(10 * MIB, "pool", "cuMemFreeAsync");
    RUNTIME(cudaFreeAsync(second, 0));
    ledger_minus(5 * MIB, "pool", "cuMemFreeAsync");
    RUNTIME(cudaStreamSynchronize(0));
    RUNTIME(cudaMemPoolTrimTo(pool, 0));
    RUNTIME(cudaMemPoolDestroy(pool));
    return 0;
}

static int arrays(void) {
    struct cudaChannelFormatDesc element = {.x = 32, .y = 32, .z = 32, .w = 32, .f = cudaChannelFormatKindFloat};
    cudaArray_t flat, box;
    cudaMipmappedArray_t mipmap;

    RUNTIME(cudaMallocArray(&flat, &element, 1000, 1000, cudaArrayDefault));
    ledger_plus(16000000, "array", "cuArray3DCreate_v2");
    RUNTIME(cudaMalloc3DArray(&box, &element, extent(64, 64, 64), cudaArrayDefault));
    ledger_plus(4 * MIB, "array", "cuArray3DCreate_v2");
    RUNTIME(cudaMallocMipmappedArray(&mipmap, &element, extent(512, 512, 0), 5, cudaArrayDefault));
    ledger_plus(5586944, "array", "cuMipmappedArrayCreate");
    RUNTIME(cudaFreeArray(flat));
    ledger_minus(16000000, "array", "cuArrayDestroy");
    RUNTIME(cudaFreeArray(box));
    ledger_minus(4 * MIB, "array", "cuArrayDestroy");
    RUNTIME(cudaFreeMipmappedArray(mipmap));
    ledger_minus(5586944, "array", "cuMipmappedArrayDestroy");
    return 0;
}

static int captured(void) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    void *memory;

    RUNTIME(cudaStreamCreate(&stream));
    RUNTIME(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    RUNTIME(cudaMallocAsync(&memory, 32 * MIB, stream));
    ledger_captured(32 * MIB, "graph", "cuMemAllocAsync");
    RUNTIME(cudaFreeAsync(memory, stream));
    RUNTIME(cudaStreamEndCapture(stream, &graph));
    RUNTIME(cudaGraphInstantiate(&executable, graph, 0));
    RUNTIME(cudaGraphLaunch(executable, stream));
    RUNTIME(cudaStreamSynchronize(stream));
    ledger_plus(32 * MIB, "graph", "cuGraphLaunch");
    RUNTIME(cudaGraphExecDestroy(executable));
    RUNTIME(cudaGraphDestroy(graph));
    RUNTIME(cudaDeviceGraphMemTrim(0));
    ledger_minus(32 * MIB, "graph", "cuDeviceGraphMemTrim");
    RUNTIME(cudaStreamDestroy(stream));
    return 0;
}

// cudaDeviceReset frees everything at once; the runtime starts again by itself.
static int reset(void) {
    void *memory;

    RUNTIME(cudaMalloc(&memory, 6 * MIB));
    ledger_plus(6 * MIB, "device", "cuMemAlloc_v2");
    RUNTIME(cudaDeviceReset());
    ledger_minus(6 * MIB, "device", "cuDevicePrimaryCtxReset");
    RUNTIME(cudaMalloc(&memory, 1 * MIB));
    ledger_plus(1 * MIB, "device", "cuMemAlloc_v2");
    RUNTIME(cudaFree(memory));
    ledger_minus(1 * MIB, "device", "cuMemFree_v2");
    return 0;
}

static void failed(cudaError_t answer, uint64_t bytes, const char *kind, const char *call) {
    if (answer != cudaSuccess) ledger_failed(bytes, kind, call, (int)answer);
    (void)cudaGetLastError();
}

static int errors(void) {
    void *memory;

    RUNTIME(cudaMalloc(&memory, 1 * MIB));
    ledger_plus(1 * MIB, "device", "cuMemAlloc_v2");
    failed(cudaMalloc(&memory, (size_t)1 << 45), (uint64_t)1 << 45, "device", "cuMemAlloc_v2");
    failed(cudaMallocAsync(&memory, (size_t)1 << 45, 0), (uint64_t)1 << 45, "pool", "cuMemAllocAsync");
    failed(cudaFree((void *)0x1234), 0, "device", "cuMemFree_v2");
    failed(cudaFree(NULL), 0, "device", "cuMemFree_v2");
    return 0;
}

static const struct ledger_row rows[] = {
    {"linear", linear},     {"host", host},   {"pools", pools},   {"arrays", arrays},
    {"captured", captured}, {"reset", reset}, {"errors", errors},
};
LEDGER_MAIN(rows)
