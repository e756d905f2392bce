/*
 * Coverage: the forms of entry points that today's headers no longer name, but old binaries link against. They are
 * looked up by name, as such a program's own stubs would. A form that the driver no longer serves is a skip.
 */
#include <dlfcn.h>

#include "tests/e2e/coverage/driver.h"
#include "tests/e2e/coverage/pair.h"

static void *library;

static void *old(const char *name) {
    if (!library) library = dlopen("libcuda.so.1", RTLD_NOW);
    return library ? dlsym(library, name) : NULL;
}

// The 32-bit forms: a pointer that does not fit in 32 bits cannot come out of them.
static int alloc_32(void) {
    CUresult (*alloc)(unsigned *, unsigned) = old("cuMemAlloc");
    CUresult (*release)(unsigned) = old("cuMemFree");
    unsigned address;

    driver_open();
    if (!alloc || !release || alloc(&address, 1 << 20) != CUDA_SUCCESS)
        return ledger_skip("the driver serves no 32-bit pointers");
    ledger_plus(1 * MIB, "device", "cuMemAlloc");
    CU(release(address));
    ledger_minus(1 * MIB, "device", "cuMemFree");
    return 0;
}

static int pitch_32(void) {
    CUresult (*alloc)(unsigned *, unsigned *, unsigned, unsigned, unsigned) = old("cuMemAllocPitch");
    CUresult (*release)(unsigned) = old("cuMemFree");
    unsigned address, stride;

    driver_open();
    if (!alloc || !release || alloc(&address, &stride, 1000, 1000, 4) != CUDA_SUCCESS)
        return ledger_skip("the driver serves no 32-bit pointers");
    ledger_plus((uint64_t)stride * 1000, "pitched", "cuMemAllocPitch");
    CU(release(address));
    ledger_minus((uint64_t)stride * 1000, "pitched", "cuMemFree");
    return 0;
}

static int alloc_host(void) {
    CUresult (*alloc)(void **, unsigned) = old("cuMemAllocHost");
    void *memory;

    driver_open();
    if (!alloc || alloc(&memory, 1 << 20) != CUDA_SUCCESS) return ledger_skip("no first form of cuMemAllocHost");
    ledger_plus(1 * MIB, "pinned", "cuMemAllocHost");
    CU(cuMemFreeHost(memory));
    ledger_minus(1 * MIB, "pinned", "cuMemFreeHost");
    return 0;
}

static int registered(void) {
    CUresult (*pin)(void *, size_t, unsigned) = old("cuMemHostRegister");
    static char memory[1 << 20] __attribute__((aligned(4096)));

    driver_open();
    if (!pin || pin(memory, sizeof memory, 0) != CUDA_SUCCESS) return ledger_skip("no first form of cuMemHostRegister");
    ledger_plus(sizeof memory, "registered", "cuMemHostRegister");
    CU(cuMemHostUnregister(memory));
    ledger_minus(sizeof memory, "registered", "cuMemHostUnregister");
    return 0;
}

static int array_32(void) {
    struct {
        unsigned width, height;
        CUarray_format format;
        unsigned channels;
    } shape = {64, 64, CU_AD_FORMAT_FLOAT, 1};
    CUresult (*create)(CUarray *, const void *) = old("cuArrayCreate");
    CUarray array;

    driver_open();
    if (!create || create(&array, &shape) != CUDA_SUCCESS) return ledger_skip("no first form of cuArrayCreate");
    ledger_plus(16384, "array", "cuArrayCreate");
    CU(cuArrayDestroy(array));
    ledger_minus(16384, "array", "cuArrayDestroy");
    return 0;
}

static int array_3d_32(void) {
    struct {
        unsigned width, height, depth;
        CUarray_format format;
        unsigned channels, flags;
    } shape = {64, 64, 4, CU_AD_FORMAT_FLOAT, 1, 0};
    CUresult (*create)(CUarray *, const void *) = old("cuArray3DCreate");
    CUarray array;

    driver_open();
    if (!create || create(&array, &shape) != CUDA_SUCCESS) return ledger_skip("no first form of cuArray3DCreate");
    ledger_plus(65536, "array", "cuArray3DCreate");
    CU(cuArrayDestroy(array));
    ledger_minus(65536, "array", "cuArrayDestroy");
    return 0;
}

static int importer(int socket) {
    CUresult (*open_handle)(CUdeviceptr *, CUipcMemHandle, unsigned) = old("cuIpcOpenMemHandle");
    CUipcMemHandle handle;
    CUdeviceptr address;

    ledger_name("importer");
    pair_receive(socket, &handle, sizeof handle);
    driver_open();
    if (!open_handle) return 1;
    CU(open_handle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ledger_plus(4 * MIB, "imported", "cuIpcOpenMemHandle");
    CU(cuIpcCloseMemHandle(address));
    ledger_minus(4 * MIB, "imported", "cuIpcCloseMemHandle");
    ledger_end();
    pair_signal(socket);
    return 0;
}

static int shared(void) {
    int socket = pair_fork(importer);
    CUipcMemHandle handle;
    CUdeviceptr address;

    driver_open();
    CU(cuMemAlloc(&address, 4 * MIB));
    ledger_plus(4 * MIB, "device", "cuMemAlloc_v2");
    CU(cuIpcGetMemHandle(&handle, address));
    pair_send(socket, &handle, sizeof handle);
    pair_wait(socket);
    CU(cuMemFree(address));
    ledger_minus(4 * MIB, "device", "cuMemFree_v2");
    return pair_join(socket);
}

static int end_context(CUcontext context, const char *call) {
    CUresult (*destroy)(CUcontext) = old(call);
    CUdeviceptr address;

    CU(cuMemAlloc(&address, 1 * MIB));
    ledger_plus(1 * MIB, "device", "cuMemAlloc_v2");
    CU(destroy(context));
    ledger_minus(1 * MIB, "device", call);
    return 0;
}

// Contexts of the first form are of API 3010, and the driver answers CUDA_ERROR_INVALID_CONTEXT to calls of API 3020 in
// one ("mixes different API versions", cuda.h says).
static int context_v1(void) {
    CUresult (*create)(CUcontext *, unsigned, CUdevice) = old("cuCtxCreate"),
                                              (*destroy)(CUcontext) = old("cuCtxDestroy");
    CUdevice device;
    CUcontext context;
    CUdeviceptr address;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    if (!create || create(&context, 0, device) != CUDA_SUCCESS) return ledger_skip("no first form of cuCtxCreate");
    CUresult result = cuMemAlloc(&address, 1 * MIB);
    if (result == CUDA_SUCCESS)
        ledger_plus(1 * MIB, "device", "cuMemAlloc_v2");
    else
        ledger_failed(1 * MIB, "device", "cuMemAlloc_v2", (int)result);
    CU(destroy(context));
    if (result == CUDA_SUCCESS) ledger_minus(1 * MIB, "device", "cuCtxDestroy");
    return 0;
}

// As programs of CUDA 3.2 do, which had a second form of the creation only.
static int destroyed_v1(void) {
    CUresult (*create)(CUcontext *, unsigned, CUdevice) = old("cuCtxCreate_v2");
    CUdevice device;
    CUcontext context;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    if (!create || !old("cuCtxDestroy")) return ledger_skip("no first form of cuCtxDestroy");
    CU(create(&context, 0, device));
    return end_context(context, "cuCtxDestroy");
}

static int detached(void) {
    CUdevice device;
    CUcontext context;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    if (!old("cuCtxDetach")) return ledger_skip("no cuCtxDetach");
    CU(cuCtxCreate(&context, NULL, 0, device));
    return end_context(context, "cuCtxDetach");
}

// Attached to once more, a context ends with the second detachment.
static int attached(void) {
    CUresult (*attach)(CUcontext *, unsigned) = old("cuCtxAttach"), (*detach)(CUcontext) = old("cuCtxDetach");
    CUdevice device;
    CUcontext context;
    CUdeviceptr address;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&context, NULL, 0, device));
    if (!attach || !detach || attach(&context, 0) != CUDA_SUCCESS) return ledger_skip("no cuCtxAttach");
    CU(cuMemAlloc(&address, 3 * MIB));
    ledger_plus(3 * MIB, "device", "cuMemAlloc_v2");
    CU(detach(context));
    CU(cuMemFree(address));
    ledger_minus(3 * MIB, "device", "cuMemFree_v2");
    return end_context(context, "cuCtxDetach");
}

static int context_v2(void) {
    CUresult (*create)(CUcontext *, unsigned, CUdevice) = old("cuCtxCreate_v2");
    CUdevice device;
    CUcontext context;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    if (!create || create(&context, 0, device) != CUDA_SUCCESS) return ledger_skip("no cuCtxCreate_v2");
    return end_context(context, "cuCtxDestroy_v2");
}

static int context_v3(void) {
    CUresult (*create)(CUcontext *, CUexecAffinityParam *, int, unsigned, CUdevice) = old("cuCtxCreate_v3");
    CUdevice device;
    CUcontext context;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    if (!create || create(&context, NULL, 0, 0, device) != CUDA_SUCCESS) return ledger_skip("no cuCtxCreate_v3");
    return end_context(context, "cuCtxDestroy_v2");
}

// The first form of the reset, which is the one that cudaDeviceReset calls.
static int primary_reset(void) {
    CUresult (*reset)(CUdevice) = old("cuDevicePrimaryCtxReset");
    CUdevice device = driver_open();
    CUdeviceptr address;

    if (!reset) return ledger_skip("no first form of cuDevicePrimaryCtxReset");
    CU(cuMemAlloc(&address, 2 * MIB));
    ledger_plus(2 * MIB, "device", "cuMemAlloc_v2");
    CU(reset(device));
    ledger_minus(2 * MIB, "device", "cuDevicePrimaryCtxReset");
    return 0;
}

static int primary_release(void) {
    CUresult (*release)(CUdevice) = old("cuDevicePrimaryCtxRelease");
    CUdevice device = driver_open();
    CUdeviceptr address;

    if (!release) return ledger_skip("no first form of cuDevicePrimaryCtxRelease");
    CU(cuMemAlloc(&address, 2 * MIB));
    ledger_plus(2 * MIB, "device", "cuMemAlloc_v2");
    CU(release(device));
    ledger_minus(2 * MIB, "device", "cuDevicePrimaryCtxRelease");
    return 0;
}

// cuGraphAddNode without edge data, and one of the two forms of cuGraphInstantiate with a log.
static int graph(const char *instantiate_form) {
    CUresult (*add)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *) = old("cuGraphAddNode");
    CUresult (*instantiate)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t) = old(instantiate_form);
    CUgraphNodeParams alloc = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC}, release = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE};
    CUdevice device = driver_open();
    CUgraph steps;
    CUgraphNode first, last;
    CUgraphExec executable;

    if (!add || !instantiate) return ledger_skip("no first forms of the graph calls");
    CU(cuGraphCreate(&steps, 0));
    alloc.alloc.poolProps = driver_pool(device);
    alloc.alloc.bytesize = 32 * MIB;
    CU(add(&first, steps, NULL, 0, &alloc));
    ledger_captured(32 * MIB, "graph", "cuGraphAddNode");
    release.free.dptr = alloc.alloc.dptr;
    CU(add(&last, steps, &first, 1, &release));
    CU(instantiate(&executable, steps, NULL, NULL, 0));
    CU(cuGraphLaunch(executable, NULL));
    CU(cuStreamSynchronize(NULL));
    ledger_plus(32 * MIB, "graph", "cuGraphLaunch");
    CU(cuGraphExecDestroy(executable));
    CU(cuGraphDestroy(steps));
    CU(cuDeviceGraphMemTrim(device));
    ledger_minus(32 * MIB, "graph", "cuDeviceGraphMemTrim");
    return 0;
}

static int graph_v1(void) {
    return graph("cuGraphInstantiate");
}

static int graph_v2(void) {
    return graph("cuGraphInstantiate_v2");
}

// Capture without a mode, by the legacy and by the per-thread default stream's form; it captures globally. The stream
// is destroyed by the first form of that.
static int captured(void) {
    static const char *const forms[] = {"cuStreamBeginCapture", "cuStreamBeginCapture_ptsz"};
    CUresult (*destroy)(CUstream) = old("cuStreamDestroy");
    CUdevice device = driver_open();
    CUdeviceptr address;
    CUstream stream;
    CUgraph steps;

    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        CUresult (*begin)(CUstream) = old(forms[i]);
        if (!begin || begin(stream) != CUDA_SUCCESS) return ledger_skip("no capture without a mode");
        CU(cuMemAllocAsync(&address, 32 * MIB, stream));
        ledger_captured(32 * MIB, "graph", "cuMemAllocAsync");
        CU(cuMemFreeAsync(address, stream));
        CU(cuStreamEndCapture(stream, &steps));
        CU(cuGraphDestroy(steps));
    }
    CU(destroy ? destroy(stream) : cuStreamDestroy(stream));
    CU(cuDeviceGraphMemTrim(device));
    return 0;
}

static const struct ledger_row rows[] = {
    {"alloc-32", alloc_32},     {"pitch-32", pitch_32},           {"alloc-host", alloc_host},
    {"register", registered},   {"array-32", array_32},           {"array-3d-32", array_3d_32},
    {"shared", shared},         {"context-v1", context_v1},       {"destroyed-v1", destroyed_v1},
    {"detached", detached},     {"attached", attached},           {"context-v2", context_v2},
    {"context-v3", context_v3}, {"primary-reset", primary_reset}, {"primary-release", primary_release},
    {"graph-v1", graph_v1},     {"graph-v2", graph_v2},           {"captured", captured},
};
LEDGER_MAIN(rows)
