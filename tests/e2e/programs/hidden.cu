/*
 * Device memory that no allocation explains: a context, a stream, the first launches of two kernels, one of which wants
 * 16 KiB of local memory a thread, and a larger printf buffer; beside a few allocations. Nothing is freed. Prints what
 * the device says is in use at the end.
 */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

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
    return 0;
}
