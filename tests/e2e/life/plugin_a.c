/*
 * A library that plugins.c loads, calls and unloads; plugin_b.c is its neighbour. Its frames must be named by the
 * modules of the moment, since the next library may be mapped at the same addresses.
 */
#include <cuda.h>

CUresult plugin_allocate(CUdeviceptr *address);

CUresult plugin_allocate(CUdeviceptr *address) {
    return cuMemAlloc(address, 1 << 20);
}
