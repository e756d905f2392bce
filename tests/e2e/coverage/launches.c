/*
 * Coverage: code loaded into the device (modules, libraries) and every way to launch it. The ledger stays empty: what a
 * module takes is found by sampling; "fact launches" is what the report must count.
 */
#include "tests/e2e/coverage/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static CUmodule module;

static CUfunction load(void) {
    CUfunction function;

    driver_open();
    CU(cuModuleLoadData(&module, driver_ptx));
    CU(cuModuleGetFunction(&function, module, "nothing"));
    return function;
}

static int end(int launches) {
    CU(cuCtxSynchronize());
    CU(cuModuleUnload(module));
    ledger_fact("launches", (uint64_t)launches);
    return 0;
}

static int kernel(void) {
    CUfunction function = load();

    CU(cuLaunchKernel(function, 1, 2, 3, 32, 2, 1, 1024, NULL, NULL, NULL));
    CU(cuLaunchKernel(function, 7, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    return end(2);
}

static int kernel_ex(void) {
    CUfunction function = load();
    CUlaunchConfig config = {
        .gridDimX = 4, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128, .blockDimY = 1, .blockDimZ = 1};

    CU(cuLaunchKernelEx(&config, function, NULL, NULL));
    return end(1);
}

static int cooperative(void) {
    CUfunction function = load();

    CU(cuLaunchCooperativeKernel(function, 2, 1, 1, 32, 1, 1, 0, NULL, NULL));
    return end(1);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int cooperative_devices(void) {
    CUfunction function = load();
    CUDA_LAUNCH_PARAMS launch = {.function = function,
                                 .gridDimX = 2,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 32,
                                 .blockDimY = 1,
                                 .blockDimZ = 1};

    CU(cuStreamCreate(&launch.hStream, CU_STREAM_NON_BLOCKING));
    if (cuLaunchCooperativeKernelMultiDevice(&launch, 1, 0) != CUDA_SUCCESS)
        return ledger_skip("the driver no longer launches over several devices");
    return end(1);
}

static int old_forms(void) {
    CUfunction function = load();

    if (cuFuncSetBlockShape(function, 32, 1, 1) != CUDA_SUCCESS || cuLaunch(function) != CUDA_SUCCESS)
        return ledger_skip("the driver no longer launches in the old form");
    CU(cuLaunchGrid(function, 2, 2));
    CU(cuLaunchGridAsync(function, 3, 1, NULL));
    return end(3);
}

#pragma GCC diagnostic pop

static int graph(void) {
    CUDA_KERNEL_NODE_PARAMS node = {
        .func = load(), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1};
    CUgraph steps;
    CUgraphNode first;
    CUgraphExec executable;

    CU(cuGraphCreate(&steps, 0));
    CU(cuGraphAddKernelNode(&first, steps, NULL, 0, &node));
    CU(cuGraphInstantiateWithFlags(&executable, steps, 0));
    CU(cuGraphLaunch(executable, NULL));
    CU(cuCtxSynchronize());
    CU(cuGraphExecDestroy(executable));
    CU(cuGraphDestroy(steps));
    return end(1);
}

// A graph's launch that is captured is part of another graph, and runs with that.
static int graph_captured(void) {
    CUDA_KERNEL_NODE_PARAMS node = {
        .func = load(), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1};
    CUgraph steps, outer;
    CUgraphNode first;
    CUgraphExec executable, outer_executable;
    CUstream stream;

    CU(cuGraphCreate(&steps, 0));
    CU(cuGraphAddKernelNode(&first, steps, NULL, 0, &node));
    CU(cuGraphInstantiateWithFlags(&executable, steps, 0));
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    if (cuGraphLaunch(executable, stream) != CUDA_SUCCESS) return ledger_skip("graphs are not captured");
    CU(cuStreamEndCapture(stream, &outer));
    CU(cuGraphInstantiateWithFlags(&outer_executable, outer, 0));
    CU(cuGraphLaunch(outer_executable, stream));
    CU(cuStreamSynchronize(stream));
    return end(1);
}

static void launch_and_unload(void) {
    CUfunction function;

    CU(cuModuleGetFunction(&function, module, "nothing"));
    CU(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CU(cuCtxSynchronize());
    CU(cuModuleUnload(module));
}

// Code goes with its context, and the next one's may lie where it was. `fact looks`: the kernel's first launch in each.
static int contexts(void) {
    CUdevice device;
    CUcontext context;
    CUfunction function;

    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    for (int i = 0; i < 3; i++) {
        CU(cuCtxCreate(&context, NULL, 0, device));
        CU(cuModuleLoadData(&module, driver_ptx));
        CU(cuModuleGetFunction(&function, module, "nothing"));
        CU(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        CU(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        CU(cuCtxDestroy(context));
    }
    ledger_fact("launches", 6);
    ledger_fact("looks", 3);
    return 0;
}

// A file with the program's text, unlinked by the caller.
static void write_ptx(char path[]) {
    int fd = mkstemp(path);
    size_t length = strlen(driver_ptx);

    if (fd < 0 || write(fd, driver_ptx, length) != (ssize_t)length || close(fd) != 0) perror(path);
}

static int modules(void) {
    char path[] = "/tmp/memtrace-module-XXXXXX";

    driver_open();
    CU(cuModuleLoadData(&module, driver_ptx));
    launch_and_unload();
    CU(cuModuleLoadDataEx(&module, driver_ptx, 0, NULL, NULL));
    launch_and_unload();
    write_ptx(path);
    CU(cuModuleLoad(&module, path));
    unlink(path);
    launch_and_unload();
    ledger_fact("launches", 3);
    return 0;
}

static void launch_from(CUlibrary library) {
    CUkernel nothing;

    CU(cuLibraryGetKernel(&nothing, library, "nothing"));
    CU(cuLaunchKernel((CUfunction)nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CU(cuCtxSynchronize());
    CU(cuLibraryUnload(library));
}

static int libraries(void) {
    char path[] = "/tmp/memtrace-library-XXXXXX";
    CUlibrary library;

    driver_open();
    CU(cuLibraryLoadData(&library, driver_ptx, NULL, NULL, 0, NULL, NULL, 0));
    launch_from(library);
    write_ptx(path);
    CU(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    unlink(path);
    launch_from(library);
    ledger_fact("launches", 2);
    return 0;
}

static int fat_binary(void) {
    driver_open();
    CU(cuModuleLoadFatBinary(&module, driver_fatbin));
    launch_and_unload();
    ledger_fact("launches", 1);
    return 0;
}

// Code and variables that are loaded when they are first asked for.
static int lazy(void) {
    CUlibrary library;
    CUkernel kernel_of_library;
    CUfunction function;
    CUdeviceptr address;
    size_t bytes;

    driver_open();
    CU(cuLibraryLoadData(&library, driver_fatbin, NULL, NULL, 0, NULL, NULL, 0));
    CU(cuLibraryGetGlobal(&address, &bytes, library, "numbers"));
    ledger_fact("numbers", bytes);
    CU(cuLibraryGetManaged(&address, &bytes, library, "counter"));
    ledger_fact("counter", bytes);
    CU(cuLibraryGetModule(&module, library));
    CU(cuLibraryGetKernel(&kernel_of_library, library, "nothing"));
    CU(cuKernelGetFunction(&function, kernel_of_library));
    CU(cuFuncLoad(function));
    CU(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    CU(cuCtxSynchronize());
    CU(cuLibraryUnload(library));
    ledger_fact("launches", 1);
    return 0;
}

// Local memory for every thread that the device can run at once, taken at the first launch and kept.
static int local_memory(void) {
    CUdeviceptr out = 0;
    int n = 16;
    void *arguments[] = {&out, &n};
    size_t before, after, total;
    CUfunction function;

    driver_open();
    CU(cuModuleLoadData(&module, driver_fatbin));
    CU(cuModuleGetFunction(&function, module, "spills"));
    CU(cuMemGetInfo(&before, &total));
    CU(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CU(cuCtxSynchronize());
    CU(cuMemGetInfo(&after, &total));
    ledger_fact("taken", before - after);
    return end(1);
}

static const struct ledger_row rows[] = {
    {"kernel", kernel},
    {"kernel-ex", kernel_ex},
    {"cooperative", cooperative},
    {"cooperative-devices", cooperative_devices},
    {"old-forms", old_forms},
    {"graph", graph},
    {"graph-captured", graph_captured},
    {"modules", modules},
    {"contexts", contexts},
    {"libraries", libraries},
    {"fat-binary", fat_binary},
    {"lazy", lazy},
    {"local-memory", local_memory},
};
LEDGER_MAIN(rows)
