/* A small caching allocator in the manner of PyTorch's, for the experiments on cached memory: it takes segments from
 * cudaMalloc, hands out blocks of them, and gives a segment back only when the cache is emptied. Sizes follow PyTorch's
 * c10/cuda/CUDACachingAllocator.cpp: blocks are multiples of 512 bytes; up to 1 MiB they come from segments of 2 MiB,
 * below 10 MiB from segments of 20 MiB, and above from a segment of their own, a multiple of 2 MiB.
 *
 * For one thread and one stream: a block freed is reused at once. Segments are announced to tools as NVTX memory heaps;
 * whoever hands out a block announces it as a region, by the two functions at the end.
 */
#pragma once

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExtMem.h>

cudaError_t caching_malloc(void **data, size_t bytes);
void caching_free(void *data);

/* Gives back to the device every segment of which nothing is in use. */
void caching_empty(void);

/* What the block at `data` takes, rounding included. */
size_t caching_block_bytes(const void *data);

/* Bytes of all segments. */
size_t caching_reserved(void);

/* What announces the block at `data`, and what takes that back; each is valid until the next call of its function. */
const nvtxMemRegionsRegisterBatch_t *caching_region(const void *data);
const nvtxMemRegionsUnregisterBatch_t *caching_region_end(const void *data);
