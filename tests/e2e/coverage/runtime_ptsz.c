/*
 * Coverage: the runtime's names in a program compiled for per-thread default streams (the macro below renames them, as
 * nvcc --default-stream per-thread does); they end in the driver's _ptsz entry points.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1

#include "tests/e2e/coverage/ledger.h"
#include "tests/e2e/coverage/runtime.h"

static int pools(void) {
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
    cudaMemPool_t pool;
    void *first, *second;

    RUNTIME(cudaMemPoolCreate(&pool, &properties));
    RUNTIME(cudaMallocAsync(&first, 10 * MIB, 0));
    ledger_plus(10 * MIB, "pool", "cuMemAllocAsync_ptsz");
    RUNTIME(cudaMallocFromPoolAsync(&second, 5 * MIB, pool, 0));
    ledger_plus(5 * MIB, "pool", "cuMemAllocFromPoolAsync_ptsz");
    RUNTIME(cudaFreeAsync(first, 0));
    ledger_minus(10 * MIB, "pool", "cuMemFreeAsync_ptsz");
    RUNTIME(cudaFreeAsync(second, 0));
    ledger_minus(5 * MIB, "pool", "cuMemFreeAsync_ptsz");
    RUNTIME(cudaStreamSynchronize(0));
    RUNTIME(cudaMemPoolDestroy(pool));
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
    ledger_captured(32 * MIB, "graph", "cuMemAllocAsync_ptsz");
    RUNTIME(cudaFreeAsync(memory, stream));
    RUNTIME(cudaStreamEndCapture(stream, &graph));
    RUNTIME(cudaGraphInstantiate(&executable, graph, 0));
    RUNTIME(cudaGraphUpload(executable, stream));
    RUNTIME(cudaStreamSynchronize(stream));
    ledger_plus(32 * MIB, "graph", "cuGraphUpload_ptsz");
    RUNTIME(cudaGraphLaunch(executable, stream));
    RUNTIME(cudaStreamSynchronize(stream));
    RUNTIME(cudaGraphExecDestroy(executable));
    RUNTIME(cudaGraphDestroy(graph));
    RUNTIME(cudaDeviceGraphMemTrim(0));
    ledger_minus(32 * MIB, "graph", "cuDeviceGraphMemTrim");
    RUNTIME(cudaStreamDestroy(stream));
    return 0;
}

static const struct ledger_row rows[] = {
    {"pools", pools},
    {"captured", captured},
};
LEDGER_MAIN(rows)
