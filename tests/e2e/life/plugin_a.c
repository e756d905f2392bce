/*
 * A library that plugins.c loads, calls and unloads; plugin_b.c is its neighbour. Its frames must be named by the
 * modules of the moment, since the next library may be mapped at the same addresses.
 */
#include <cuda.h>

CUresult plugin_allocate(CUdeviceptr *address);

CUresult plugin_allocate(CUdeviceptr *address) {
    CUresult result = cuMemAlloc(address, 1 << 20);

    if (result != CUDA_SUCCESS) *address = 0; // also keeps this frame on the stack
    return result;
}
