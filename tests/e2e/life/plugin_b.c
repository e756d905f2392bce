/*
 * A library that plugins.c loads, calls and unloads; plugin_a.c is its neighbour. Both allocate in a function of one
 * name, here 2 MiB, in another file.
 */
#include <cuda.h>

CUresult plugin_allocate(CUdeviceptr *address);

CUresult plugin_allocate(CUdeviceptr *address) {
    CUresult result = cuMemAlloc(address, 2 << 20);

    if (result != CUDA_SUCCESS) *address = 0; // also keeps this frame on the stack
    return result;
}
