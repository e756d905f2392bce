/* The launch shape of a kernel with one thread an element: blocks of ELEMENT_BLOCK threads, the last one partly idle.
 * Used by the .cu files of this folder.
 */
#pragma once

#include <cuda_runtime.h>

#define ELEMENT_BLOCK 256

static inline unsigned element_grid(size_t n) {
    return (unsigned)((n + ELEMENT_BLOCK - 1) / ELEMENT_BLOCK);
}

static __device__ inline size_t element_index(void) {
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}
