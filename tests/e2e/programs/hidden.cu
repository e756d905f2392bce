/*
 * Device memory that no allocation explains: a context, a stream, the first launches of two kernels, one of which wants
 * 16 KiB of local memory a thread, and a larger printf buffer; beside a few allocations. Nothing is freed. Prints what
 * the device says is in use at the end, and what NVML, where there is one, says that this process has of it: a real
 * device has some MiB in use before any process comes.
 */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <unistd.h>

static void check(cudaError_t error, const char *call) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    std::exit(1);
}
#define CHECK(call) check(call, #call)

__global__ void plain(float *x) {
    x[threadIdx.x] += 1;
}

__global__ void spill(float *x, int count) {
    volatile float buffer[4096];
    for (int i = 0; i < count; i++) buffer[i & 4095] = x[i];
    for (int i = 0; i < count; i++) x[i] = buffer[(i * 7) & 4095];
}

static void allocate(float **x) {
    void *small, *block;
    CHECK(cudaMalloc((void **)x, 100));
    CHECK(cudaMalloc(&small, 3 << 20));
    CHECK(cudaMallocAsync(&block, 10 << 20, nullptr));
}

static void launch(float *x) {
    plain<<<1, 1>>>(x);
    CHECK(cudaGetLastError());
    spill<<<1, 1>>>(x, 4);
    CHECK(cudaGetLastError());
}

static void other_calls() {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 64 << 20));
}

// The toolkit's nvml.h is not always installed; this is its nvmlProcessInfo_t.
static void print_own() {
    struct {
        unsigned pid;
        unsigned long long used_bytes;
        unsigned gpu_instance, compute_instance;
    } processes[64];
    unsigned count = 64;
    char bus[32];
    void *device, *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library) return;
    auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    auto find = reinterpret_cast<int (*)(const char *, void **)>(dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
    auto list = reinterpret_cast<int (*)(void *, unsigned *, void *)>(
        dlsym(library, "nvmlDeviceGetComputeRunningProcesses_v3"));
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    if (!init || !find || !list || init() != 0 || find(bus, &device) != 0) return;
    if (list(device, &count, processes) != 0) return;
    for (unsigned i = 0; i < count; i++)
        if (processes[i].pid == static_cast<unsigned>(getpid())) std::printf("own %llu\n", processes[i].used_bytes);
}

int main() {
    float *x;
    size_t unused, total;
    CHECK(cudaFree(nullptr));
    allocate(&x);
    launch(x);
    other_calls();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemGetInfo(&unused, &total));
    std::printf("used %zu\n", total - unused);
    print_own();
    return 0;
}
