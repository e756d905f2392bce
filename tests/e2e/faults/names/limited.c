/*
 * Allocates 100 times through the CUDA runtime, and once by a name that it looks up.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "tests/e2e/faults/names/driver.h"

int main(void) {
    unsigned long long address;
    for (int i = 0; i < 100; i++) {
        void *block;
        if (cudaMalloc(&block, 1000) != cudaSuccess || cudaFree(block) != cudaSuccess) return 1;
    }
    alloc_fn *alloc = (alloc_fn *)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemAlloc_v2");
    int result = alloc ? alloc(&address, 777) : -1;
    printf("result %d\n", result);
    return result;
}
