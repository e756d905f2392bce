// What `make bench` times: one kind of call, over and over, in a process of its own. Prints nanoseconds a call.
//   pair pair COUNT     cudaMallocAsync and cudaFreeAsync of 4 KiB
//   pair launch COUNT   launches of an empty kernel
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

__global__ void empty() {
}

static double now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static bool pair() {
    void *block;
    return cudaMallocAsync(&block, 4096, 0) == cudaSuccess && cudaFreeAsync(block, 0) == cudaSuccess;
}

static bool launch() {
    empty<<<1, 1>>>();
    return cudaGetLastError() == cudaSuccess;
}

// The device falls behind a host that only launches; waiting now and then, outside the time measured, keeps the queue
// from filling up, which would time the device instead of the call.
int main(int argc, char **argv) {
    if (argc != 3) return 1;
    bool (*const call)() = !strcmp(argv[1], "pair") ? pair : launch;
    const long count = atol(argv[2]), batch = 500;
    double spent_ns = 0;
    for (long done = -batch; done < count; done += batch) { // the first batch warms up and is not counted
        const double start = now_ns();
        for (long i = 0; i < batch; i++)
            if (!call()) return 1;
        if (done >= 0) spent_ns += now_ns() - start;
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    }
    std::printf("%.1f\n", spent_ns / count);
    return 0;
}
