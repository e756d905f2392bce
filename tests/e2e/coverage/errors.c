/*
 * Coverage: the program's own mistakes. Nothing here is memory that comes or goes unless the driver says so: each
 * call's result is printed, must be what it is without the tracer, and must stand in the report as an error of the
 * program.
 */
#include "tests/e2e/coverage/driver.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// Prints a result that is not success; true if the call succeeded after all.
static bool succeeded(CUresult result, uint64_t bytes, const char *kind, const char *call) {
    if (result != CUDA_SUCCESS) ledger_failed(bytes, kind, call, (int)result);
    return result == CUDA_SUCCESS;
}

static CUdeviceptr allocate(uint64_t bytes) {
    CUdeviceptr address;

    CU(cuMemAlloc(&address, bytes));
    ledger_plus(bytes, "device", "cuMemAlloc_v2");
    return address;
}

// Prints what became of freeing `address`, which holds `bytes` in the ledger (0: it is no allocation's address).
static void try_free(CUdeviceptr address, uint64_t bytes) {
    if (succeeded(cuMemFree(address), 0, "device", "cuMemFree_v2") && bytes > 0)
        ledger_minus(bytes, "device", "cuMemFree_v2");
}

static int invalid_free(void) {
    driver_open();
    CUdeviceptr address = allocate(2 * MIB);
    try_free(0x1234, 0);
    try_free(address + 512, 0);
    try_free(address, 2 * MIB);
    return 0;
}

static int double_free(void) {
    driver_open();
    CUdeviceptr address = allocate(2 * MIB);
    try_free(address, 2 * MIB);
    try_free(address, 0);
    return 0;
}

// Host memory freed as device memory and the reverse.
static int wrong_kind(void) {
    void *pinned;

    driver_open();
    CUdeviceptr address = allocate(1 * MIB);
    CU(cuMemHostAlloc(&pinned, 1 * MIB, 0));
    ledger_plus(1 * MIB, "pinned", "cuMemHostAlloc");
    try_free((CUdeviceptr)(uintptr_t)pinned, 0);
    succeeded(cuMemFreeHost((void *)(uintptr_t)address), 0, "pinned", "cuMemFreeHost");
    succeeded(cuMemHostUnregister(pinned), 0, "registered", "cuMemHostUnregister");
    try_free(address, 1 * MIB);
    CU(cuMemFreeHost(pinned));
    ledger_minus(1 * MIB, "pinned", "cuMemFreeHost");
    return 0;
}

static int other_context(void) {
    CUdevice device;
    CUcontext first, second;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&first, NULL, 0, device));
    CUdeviceptr address = allocate(4 * MIB);
    CU(cuCtxCreate(&second, NULL, 0, device));
    if (succeeded(cuMemFree(address), 0, "device", "cuMemFree_v2")) {
        ledger_minus(4 * MIB, "device", "cuMemFree_v2");
        CU(cuCtxDestroy(first));
    } else {
        CU(cuCtxDestroy(first));
        ledger_minus(4 * MIB, "device", "cuCtxDestroy_v2");
    }
    CU(cuCtxDestroy(second));
    return 0;
}

static int other_device(void) {
    int count;
    CUdevice device;
    CUcontext first, second;

    CU(cuInit(0));
    CU(cuDeviceGetCount(&count));
    if (count < 2) return ledger_skip("one device only");
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&first, NULL, 0, device));
    CUdeviceptr address = allocate(4 * MIB);
    CU(cuDeviceGet(&device, 1));
    CU(cuCtxCreate(&second, NULL, 0, device));
    try_free(address, 4 * MIB);
    CU(cuCtxDestroy(second));
    CU(cuCtxDestroy(first));
    return 0;
}

static int absurd(void) {
    const uint64_t sizes[] = {(uint64_t)1 << 45, (uint64_t)1 << 63, UINT64_MAX, 0};
    CUdeviceptr address;
    void *pinned;
    size_t stride;

    driver_open();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (succeeded(cuMemAlloc(&address, sizes[i]), sizes[i], "device", "cuMemAlloc_v2")) return 1;
        if (sizes[i] == 0) continue; // a size that stream-ordered allocation may serve, with an address of no memory
        if (succeeded(cuMemAllocAsync(&address, sizes[i], NULL), sizes[i], "pool", "cuMemAllocAsync")) return 1;
    }
    succeeded(cuMemAllocPitch(&address, &stride, (size_t)1 << 40, 1 << 10, 4), (uint64_t)1 << 50, "pitched",
              "cuMemAllocPitch_v2");
    succeeded(cuMemHostAlloc(&pinned, (size_t)1 << 50, 0), (uint64_t)1 << 50, "pinned", "cuMemHostAlloc");
    try_free(allocate(1 * MIB), 1 * MIB);
    return 0;
}

// Sizes and shapes that physical memory and arrays cannot have.
static int absurd_objects(void) {
    CUDA_ARRAY_DESCRIPTOR nothing = {.Width = 0, .Height = 0, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUDA_ARRAY3D_DESCRIPTOR channels = {.Width = 16, .Height = 16, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 3};
    CUmemGenericAllocationHandle handle;
    CUarray array;
    CUmipmappedArray mipmap;
    CUdevice device = driver_open();
    CUmemAllocationProp properties = driver_physical(device);

    succeeded(cuMemCreate(&handle, (size_t)1 << 45, &properties, 0), (uint64_t)1 << 45, "physical", "cuMemCreate");
    succeeded(cuMemCreate(&handle, 1000, &properties, 0), 1000, "physical", "cuMemCreate");
    succeeded(cuArrayCreate(&array, &nothing), 0, "array", "cuArrayCreate_v2");
    succeeded(cuArray3DCreate(&array, &channels), 3072, "array", "cuArray3DCreate_v2");
    succeeded(cuMipmappedArrayCreate(&mipmap, &channels, 1), 3072, "array", "cuMipmappedArrayCreate");
    return 0;
}

// A list that says that it is longer than it is, at the end of what can be read.
static int long_list(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    driver_open();
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE)) return 1;
    CUDA_LAUNCH_PARAMS *list = (CUDA_LAUNCH_PARAMS *)(void *)(pages + page) - 1;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    succeeded(cuLaunchCooperativeKernelMultiDevice(list, 64, 0), 0, "none", "cuLaunchCooperativeKernelMultiDevice");
#pragma GCC diagnostic pop
    return 0;
}

static int access_of_nobody(void) {
    CUmemAccessDesc access = {.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr address;

    driver_open();
    CU(cuMemAddressReserve(&address, 2 * MIB, 0, 0, 0));
    ledger_plus(2 * MIB, "address", "cuMemAddressReserve");
    succeeded(cuMemSetAccess(address, 2 * MIB, &access, 0), 0, "physical", "cuMemSetAccess");
    CU(cuMemAddressFree(address, 2 * MIB));
    ledger_minus(2 * MIB, "address", "cuMemAddressFree");
    return 0;
}

// The real driver answers a null out-parameter; the tracer must not read through it.
static int null_out(void) {
    CUdevice device = driver_open();
    CUmemAllocationProp physical = driver_physical(device);
    CUmemPoolProps pool = driver_pool(device);
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = 16, .Height = 16, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};

    succeeded(cuMemAlloc(NULL, 1 * MIB), 1 * MIB, "device", "cuMemAlloc_v2");
    succeeded(cuMemAllocManaged(NULL, 1 * MIB, CU_MEM_ATTACH_GLOBAL), 1 * MIB, "managed", "cuMemAllocManaged");
    succeeded(cuMemAllocAsync(NULL, 1 * MIB, NULL), 1 * MIB, "pool", "cuMemAllocAsync");
    succeeded(cuMemHostAlloc(NULL, 1 * MIB, 0), 1 * MIB, "pinned", "cuMemHostAlloc");
    succeeded(cuMemAllocHost(NULL, 1 * MIB), 1 * MIB, "pinned", "cuMemAllocHost_v2");
    succeeded(cuMemCreate(NULL, 2 * MIB, &physical, 0), 2 * MIB, "physical", "cuMemCreate");
    succeeded(cuMemAddressReserve(NULL, 2 * MIB, 0, 0, 0), 2 * MIB, "address", "cuMemAddressReserve");
    succeeded(cuMemPoolCreate(NULL, &pool), 0, "pool", "cuMemPoolCreate");
    succeeded(cuArrayCreate(NULL, &shape), 1024, "array", "cuArrayCreate_v2");
    return 0;
}

static int before_init(void) {
    CUdeviceptr address;
    void *pinned;

    succeeded(cuMemAlloc(&address, 1 * MIB), 1 * MIB, "device", "cuMemAlloc_v2");
    succeeded(cuMemHostAlloc(&pinned, 1 * MIB, 0), 1 * MIB, "pinned", "cuMemHostAlloc");
    succeeded(cuMemFree(0x1000), 0, "device", "cuMemFree_v2");
    driver_open();
    try_free(allocate(1 * MIB), 1 * MIB);
    return 0;
}

static int no_context(void) {
    CUdeviceptr address;

    CU(cuInit(0));
    succeeded(cuMemAlloc(&address, 1 * MIB), 1 * MIB, "device", "cuMemAlloc_v2");
    succeeded(cuMemFree(0x1000), 0, "device", "cuMemFree_v2");
    return 0;
}

// After a reset the current context is gone; a new one does not know the old address.
static int after_reset(void) {
    CUdeviceptr address;
    CUcontext context;
    CUdevice device = driver_open();

    CUdeviceptr old = allocate(4 * MIB);
    CU(cuDevicePrimaryCtxReset(device));
    ledger_minus(4 * MIB, "device", "cuDevicePrimaryCtxReset_v2");
    succeeded(cuMemAlloc(&address, 1 * MIB), 1 * MIB, "device", "cuMemAlloc_v2");
    try_free(old, 0);
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
    try_free(old, 0);
    return 0;
}

static const struct ledger_row rows[] = {
    {"invalid-free", invalid_free},
    {"double-free", double_free},
    {"wrong-kind", wrong_kind},
    {"other-context", other_context},
    {"other-device", other_device},
    {"absurd", absurd},
    {"absurd-objects", absurd_objects},
    {"null-out", null_out},
    {"before-init", before_init},
    {"no-context", no_context},
    {"after-reset", after_reset},
    {"long-list", long_list},
    {"access-of-nobody", access_of_nobody},
};
LEDGER_MAIN(rows)
