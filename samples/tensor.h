/* Device tensors for the samples: taken from any of four allocators, inside an NVTX range that tells the shape, and
 * entered in the ledger. Used by samples/train.cu and samples/tensors.cu.
 *
 * TENSOR_ALLOC and TENSOR_FREE are macros on purpose: the CUDA call, or with the caching allocator the NVTX note about
 * the block, then stands at the line that asks for the tensor, so a tracer's stack and the ledger name that line and no
 * wrapper. Write each on a line of its own.
 */
#pragma once

#include "kernels/launch.h"
#include "samples/caching.h"
#include "samples/ledger.h"

#include <nvtx3/nvToolsExt.h>

enum allocator_kind {
    ALLOCATOR_MALLOC,  // cudaMalloc and cudaFree
    ALLOCATOR_ASYNC,   // cudaMallocAsync and cudaFreeAsync, on the device's default pool
    ALLOCATOR_POOL,    // the same on a pool of our own, which keeps what it once took
    ALLOCATOR_CACHING, // samples/caching.h
};

/* The program's one allocator. */
struct allocator {
    enum allocator_kind kind;
    cudaStream_t stream;
    cudaMemPool_t pool; // for ALLOCATOR_ASYNC and ALLOCATOR_POOL
};
extern struct allocator allocator;

void allocator_create(enum allocator_kind kind, cudaStream_t stream);
void allocator_destroy(void);
size_t allocator_reserved(void);        // bytes held of the device, whether a tensor uses them or not
void allocator_empty_cache(void);       // gives back what no tensor uses
void allocator_phase(const char *name); // ends a phase in the ledger

/* Elements of 4 bytes; dimensions end at the first 0. */
struct tensor_shape {
    int extent[5];
};
size_t tensor_bytes(struct tensor_shape shape);

/* An allocation on its way; for the macros below. */
struct tensor_request {
    void *data;
    size_t bytes; // as asked
    char label[64];
    struct ledger_tensor entry;
};
struct tensor_request tensor_begin(const char *why, const char *name, struct ledger_place place,
                                   struct tensor_shape shape);
void *tensor_end(struct tensor_request *request, cudaError_t status);

#define TENSOR_PLACE (ledger_place{__func__, __FILE__, __LINE__})

/* pointer = a new tensor of the shape {...}, or NULL with the reason in status. */
#define TENSOR_TRY_ALLOC(status, pointer, why, name, ... /* shape */)                                                  \
    do {                                                                                                               \
        struct tensor_request request_ = tensor_begin(why, name, TENSOR_PLACE, __VA_ARGS__);                           \
        nvtxRangePushA(request_.label);                                                                                \
        switch (allocator.kind) {                                                                                      \
        case ALLOCATOR_MALLOC:                                                                                         \
            (status) = cudaMalloc(&request_.data, request_.bytes);                                                     \
            break;                                                                                                     \
        case ALLOCATOR_ASYNC:                                                                                          \
            (status) = cudaMallocAsync(&request_.data, request_.bytes, allocator.stream);                              \
            break;                                                                                                     \
        case ALLOCATOR_POOL:                                                                                           \
            (status) = cudaMallocFromPoolAsync(&request_.data, request_.bytes, allocator.pool, allocator.stream);      \
            break;                                                                                                     \
        case ALLOCATOR_CACHING:                                                                                        \
            (status) = caching_malloc(&request_.data, request_.bytes);                                                 \
            if ((status) == cudaSuccess) nvtxMemRegionsRegister(NULL, caching_region(request_.data));                  \
            break;                                                                                                     \
        }                                                                                                              \
        nvtxRangePop();                                                                                                \
        (pointer) = (decltype(pointer))tensor_end(&request_, status);                                                  \
    } while (0)

/* The same where a refusal ends the program. */
#define TENSOR_ALLOC(pointer, why, name, ... /* shape */)                                                              \
    do {                                                                                                               \
        cudaError_t status_ = cudaSuccess;                                                                             \
        TENSOR_TRY_ALLOC(status_, pointer, why, name, __VA_ARGS__);                                                    \
        cuda_check(status_, "allocation of " #pointer, __FILE__, __LINE__);                                            \
    } while (0)

/* Frees a tensor, if there is one, and forgets it. */
#define TENSOR_FREE(pointer)                                                                                           \
    do {                                                                                                               \
        if (!(pointer)) break;                                                                                         \
        ledger_freed(pointer, TENSOR_PLACE);                                                                           \
        if (allocator.kind == ALLOCATOR_MALLOC) {                                                                      \
            CUDA_CHECK(cudaFree(pointer));                                                                             \
        } else if (allocator.kind == ALLOCATOR_CACHING) {                                                              \
            nvtxMemRegionsUnregister(NULL, caching_region_end(pointer));                                               \
            caching_free(pointer);                                                                                     \
        } else {                                                                                                       \
            CUDA_CHECK(cudaFreeAsync(pointer, allocator.stream));                                                      \
        }                                                                                                              \
        (pointer) = NULL;                                                                                              \
    } while (0)
