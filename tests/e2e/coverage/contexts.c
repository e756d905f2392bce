/*
 * Coverage: the implicit ends, where memory goes and no call names it: a context destroyed, the primary context
 * released or reset, the process over. And the calls that take device memory for a context: creation, limits, green
 * contexts.
 */
#include "tests/e2e/coverage/driver.h"

static CUdeviceptr allocate(uint64_t bytes) {
    CUdeviceptr address;

    CU(cuMemAlloc(&address, bytes));
    ledger_plus(bytes, "device", "cuMemAlloc_v2");
    return address;
}

static int destroyed(void) {
    CUdevice device;
    CUcontext context;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&context, NULL, 0, device));
    allocate(20 * MIB);
    CU(cuCtxDestroy(context));
    ledger_minus(20 * MIB, "device", "cuCtxDestroy_v2");
    return 0;
}

// Two contexts on one device: the end of one leaves the other's memory.
static int two(void) {
    CUdevice device;
    CUcontext first, second;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&first, NULL, 0, device));
    allocate(4 * MIB);
    CU(cuCtxCreate(&second, NULL, 0, device));
    CUdeviceptr kept = allocate(6 * MIB);
    CU(cuCtxDestroy(first));
    ledger_minus(4 * MIB, "device", "cuCtxDestroy_v2");
    CU(cuMemFree(kept));
    ledger_minus(6 * MIB, "device", "cuMemFree_v2");
    CU(cuCtxDestroy(second));
    return 0;
}

static int primary_reset(void) {
    CUdevice device = driver_open();

    allocate(12 * MIB);
    CU(cuDevicePrimaryCtxReset(device));
    ledger_minus(12 * MIB, "device", "cuDevicePrimaryCtxReset_v2");
    return 0;
}

// Retained twice: the second release ends it.
static int primary_release(void) {
    CUdevice device = driver_open();
    CUcontext again;

    CU(cuDevicePrimaryCtxRetain(&again, device));
    allocate(16 * MIB);
    CU(cuDevicePrimaryCtxRelease(device));
    allocate(2 * MIB);
    CU(cuDevicePrimaryCtxRelease(device));
    ledger_minus(16 * MIB, "device", "cuDevicePrimaryCtxRelease_v2");
    ledger_minus(2 * MIB, "device", "cuDevicePrimaryCtxRelease_v2");
    return 0;
}

// Everything of a context: pinned host memory and stream-ordered memory go with it too.
static int everything(void) {
    CUdevice device = driver_open();
    CUdeviceptr address;
    void *pinned;

    allocate(1 * MIB);
    CU(cuMemAllocAsync(&address, 2 * MIB, NULL));
    ledger_plus(2 * MIB, "pool", "cuMemAllocAsync");
    CU(cuStreamSynchronize(NULL));
    CU(cuMemHostAlloc(&pinned, 4 * MIB, 0));
    ledger_plus(4 * MIB, "pinned", "cuMemHostAlloc");
    CU(cuDevicePrimaryCtxReset(device));
    ledger_minus(1 * MIB, "device", "cuDevicePrimaryCtxReset_v2");
    ledger_minus(2 * MIB, "pool", "cuDevicePrimaryCtxReset_v2");
    ledger_minus(4 * MIB, "pinned", "cuDevicePrimaryCtxReset_v2");
    return 0;
}

// What is live when the process ends is live at exit, in the report as well.
static int process_exit(void) {
    driver_open();
    allocate(3 * MIB);
    return 0;
}

static int limits(void) {
    driver_open();
    CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    CU(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 8 * MIB));
    CU(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 64 * MIB));
    CU(cuMemFree(allocate(1 * MIB)));
    ledger_minus(1 * MIB, "device", "cuMemFree_v2");
    return 0;
}

// Streams take device memory too, and peers may.
static int streams(void) {
    CUdevice device = driver_open();
    CUcontext own, peer;
    CUstream plain, urgent;
    CUevent event;
    int count;

    CU(cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -1));
    CU(cuEventCreate(&event, CU_EVENT_DEFAULT));
    CUdeviceptr address = allocate(2 * MIB);
    CU(cuEventRecord(event, urgent));
    CU(cuEventSynchronize(event));
    CU(cuStreamSynchronize(plain));
    CU(cuCtxGetCurrent(&own));
    CU(cuCtxSynchronize_v2(own));
    CU(cuDeviceGetCount(&count));
    if (count > 1 && cuDeviceGet(&device, 1) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&peer, device) == CUDA_SUCCESS)
        (void)cuCtxEnablePeerAccess(peer, 0); // there may be no way between the two
    CU(cuMemFree(address));
    ledger_minus(2 * MIB, "device", "cuMemFree_v2");
    CU(cuEventDestroy(event));
    CU(cuStreamDestroy(plain));
    CU(cuStreamDestroy(urgent));
    return 0;
}

// A green context is a part of the device's multiprocessors; memory belongs to the primary context behind it.
static int green(void) {
    CUdevice device = driver_open();
    CUdevResource all;
    CUdevResourceDesc description;
    CUgreenCtx part;
    CUcontext context;
    CUstream stream;

    if (cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS)
        return ledger_skip("the device has no green contexts");
    CU(cuDevResourceGenerateDesc(&description, &all, 1));
    CU(cuGreenCtxCreate(&part, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
    CU(cuCtxFromGreenCtx(&context, part));
    CU(cuCtxPushCurrent(context));
    CUdeviceptr address = allocate(5 * MIB);
    CU(cuMemFree(address));
    ledger_minus(5 * MIB, "device", "cuMemFree_v2");
    CU(cuGreenCtxStreamCreate(&stream, part, CU_STREAM_NON_BLOCKING, 0));
    CU(cuStreamSynchronize(stream));
    CU(cuStreamDestroy(stream));
    CU(cuCtxPopCurrent(&context));
    CU(cuGreenCtxDestroy(part));
    return 0;
}

static const struct ledger_row rows[] = {
    {"destroyed", destroyed},
    {"two", two},
    {"primary-reset", primary_reset},
    {"primary-release", primary_release},
    {"everything", everything},
    {"exit", process_exit},
    {"limits", limits},
    {"streams", streams},
    {"green", green},
};
LEDGER_MAIN(rows)
