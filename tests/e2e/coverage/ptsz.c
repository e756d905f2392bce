/*
 * Coverage: the entry points that a program compiled for per-thread default streams calls (cuMemAllocAsync_ptsz, …).
 * The macro below renames them in cuda.h, as nvcc --default-stream per-thread does.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1

#include "tests/e2e/coverage/driver.h"

static int pool(void) {
    CUdevice device = driver_open();
    CUmemPoolProps properties = driver_pool(device);
    CUmemoryPool own;
    CUdeviceptr first, second;

    CU(cuMemPoolCreate(&own, &properties));
    CU(cuMemAllocAsync(&first, 10 * MIB, NULL));
    ledger_plus(10 * MIB, "pool", "cuMemAllocAsync_ptsz");
    CU(cuMemAllocFromPoolAsync(&second, 5 * MIB, own, NULL));
    ledger_plus(5 * MIB, "pool", "cuMemAllocFromPoolAsync_ptsz");
    CU(cuMemFreeAsync(first, NULL));
    ledger_minus(10 * MIB, "pool", "cuMemFreeAsync_ptsz");
    CU(cuMemFreeAsync(second, NULL));
    ledger_minus(5 * MIB, "pool", "cuMemFreeAsync_ptsz");
    CU(cuStreamSynchronize(NULL));
    CU(cuMemPoolDestroy(own));
    return 0;
}

static int launches(void) {
    CUlaunchConfig config = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1};
    CUmodule module;
    CUfunction function;

    driver_open();
    CU(cuModuleLoadData(&module, driver_ptx));
    CU(cuModuleGetFunction(&function, module, "nothing"));
    CU(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    CU(cuLaunchKernelEx(&config, function, NULL, NULL));
    CU(cuLaunchCooperativeKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL));
    CU(cuCtxSynchronize());
    CU(cuModuleUnload(module));
    ledger_fact("launches", 3);
    return 0;
}

static int graph(void) {
    CUdevice device = driver_open();
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = driver_pool(device), .bytesize = 32 * MIB};
    CUDA_GRAPH_INSTANTIATE_PARAMS instantiate = {.flags = 0};
    CUgraph steps;
    CUgraphNode first, last;
    CUgraphExec executable;

    CU(cuGraphCreate(&steps, 0));
    CU(cuGraphAddMemAllocNode(&first, steps, NULL, 0, &alloc));
    ledger_captured(32 * MIB, "graph", "cuGraphAddMemAllocNode");
    CU(cuGraphAddMemFreeNode(&last, steps, &first, 1, alloc.dptr));
    CU(cuGraphInstantiateWithParams(&executable, steps, &instantiate));
    CU(cuGraphUpload(executable, NULL));
    CU(cuStreamSynchronize(NULL));
    ledger_plus(32 * MIB, "graph", "cuGraphUpload_ptsz");
    CU(cuGraphLaunch(executable, NULL));
    CU(cuStreamSynchronize(NULL));
    CU(cuGraphExecDestroy(executable));
    CU(cuGraphDestroy(steps));
    CU(cuDeviceGraphMemTrim(device));
    ledger_minus(32 * MIB, "graph", "cuDeviceGraphMemTrim");
    return 0;
}

// Tiles of a sparse array, mapped and unmapped; the memory is the handle's.
static int sparse_array(void) {
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = 1024, .Height = 1024, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4, .Flags = CUDA_ARRAY3D_SPARSE};
    CUdevice device = driver_open();
    CUmemAllocationProp properties = driver_physical(device);
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUmemGenericAllocationHandle handle;
    CUarray array;

    if (!driver_has(device, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED))
        return ledger_skip("the device has no sparse arrays");
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
    properties.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
    CU(cuArray3DCreate(&array, &shape));
    CU(cuArrayGetSparseProperties(&sparse, array));
    CU(cuMemCreate(&handle, 8 * MIB, &properties, 0));
    ledger_plus(8 * MIB, "physical", "cuMemCreate");
    CUarrayMapInfo tiles = driver_tiles(device, array, &sparse, handle);
    CU(cuMemMapArrayAsync(&tiles, 1, NULL));
    tiles.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
    tiles.memHandle.memHandle = 0;
    CU(cuMemMapArrayAsync(&tiles, 1, NULL));
    CU(cuStreamSynchronize(NULL));
    CU(cuArrayDestroy(array));
    CU(cuMemRelease(handle));
    ledger_minus(8 * MIB, "physical", "cuMemRelease");
    return 0;
}

static int captured(void) {
    CUdevice device = driver_open();
    CUdeviceptr address;
    CUstream stream;
    CUgraph steps;
    CUgraphExec executable;

    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CU(cuMemAllocAsync(&address, 32 * MIB, stream));
    ledger_captured(32 * MIB, "graph", "cuMemAllocAsync_ptsz");
    CU(cuMemFreeAsync(address, stream));
    CU(cuStreamEndCapture(stream, &steps));
    CU(cuGraphInstantiateWithFlags(&executable, steps, 0));
    CU(cuGraphLaunch(executable, stream));
    CU(cuStreamSynchronize(stream));
    ledger_plus(32 * MIB, "graph", "cuGraphLaunch_ptsz");
    CU(cuGraphExecDestroy(executable));
    CU(cuGraphDestroy(steps));
    CU(cuDeviceGraphMemTrim(device));
    ledger_minus(32 * MIB, "graph", "cuDeviceGraphMemTrim");
    CU(cuStreamDestroy(stream));
    return 0;
}

static const struct ledger_row rows[] = {
    {"pool", pool}, {"launches", launches}, {"graph", graph}, {"captured", captured}, {"sparse-array", sparse_array},
};
LEDGER_MAIN(rows)
