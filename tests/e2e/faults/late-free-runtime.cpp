/*
 * A static object that frees its memory by the CUDA runtime after that has shut down at exit, and one that the program
 * frees in time.
 */
#include <cstdio>
#include <cuda_runtime_api.h>

struct Pool {
    void *block = nullptr, *pinned = nullptr;

    ~Pool() {
        std::printf("late %d", (int)cudaFree(block));
        std::printf(" %d\n", (int)cudaFreeHost(pinned));
    }
};

static Pool pool;

int main() {
    void *in_time;
    if (cudaMalloc(&pool.block, 10 << 20) || cudaMallocHost(&pool.pinned, 4096) || cudaMalloc(&in_time, 5000)) return 1;
    return cudaFree(in_time) != cudaSuccess;
}
