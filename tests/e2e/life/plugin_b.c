/*
 * A library that plugins.c loads, calls and unloads; plugin_a.c is its neighbour. Both allocate in a function of one
 * name, here 2 MiB, in another file.
 */
#include <cuda.h>

CUresult plugin_allocate(CUdeviceptr *address);

CUresult plugin_allocate(CUdeviceptr *address) {
    return cuMemAlloc(address, 2 << 20);
}
