/* Device tensors: the allocator of samples/tensor.h, and what its macros do around the call that allocates. */
#include "samples/tensor.h"

#include <stdint.h>

struct allocator allocator;

static bool has_pool(void) {
    return allocator.kind == ALLOCATOR_ASYNC || allocator.kind == ALLOCATOR_POOL;
}

void allocator_create(enum allocator_kind kind, cudaStream_t stream) {
    allocator.kind = kind;
    allocator.stream = stream;
    if (!has_pool()) return;

    int device;
    CUDA_CHECK(cudaGetDevice(&device));
    if (kind == ALLOCATOR_ASYNC) {
        CUDA_CHECK(cudaDeviceGetDefaultMemPool(&allocator.pool, device));
    } else {
        cudaMemPoolProps properties = {};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = device;
        CUDA_CHECK(cudaMemPoolCreate(&allocator.pool, &properties));
        uint64_t keep = UINT64_MAX; // bytes; the default is to give back all that is free at every synchronisation
        CUDA_CHECK(cudaMemPoolSetAttribute(allocator.pool, cudaMemPoolAttrReleaseThreshold, &keep));
    }
}

void allocator_destroy(void) {
    if (allocator.kind == ALLOCATOR_POOL) CUDA_CHECK(cudaMemPoolDestroy(allocator.pool));
    allocator = {};
}

size_t allocator_reserved(void) {
    if (allocator.kind == ALLOCATOR_CACHING) return caching_reserved();
    if (!has_pool()) return ledger_total();
    uint64_t reserved = 0;
    CUDA_CHECK(cudaMemPoolGetAttribute(allocator.pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    return reserved;
}

void allocator_empty_cache(void) {
    CUDA_CHECK(cudaStreamSynchronize(allocator.stream));
    if (allocator.kind == ALLOCATOR_CACHING) caching_empty();
    if (has_pool()) CUDA_CHECK(cudaMemPoolTrimTo(allocator.pool, 0));
}

void allocator_phase(const char *name) {
    ledger_phase(name, allocator_reserved());
}

size_t tensor_bytes(struct tensor_shape shape) {
    size_t bytes = 4;
    for (const int *extent = shape.extent; *extent; extent++) bytes *= *extent;
    return bytes;
}

/* As Python writes a tuple. */
static void shape_text(struct tensor_shape shape, char *text, size_t size) {
    int length = snprintf(text, size, "(%d", shape.extent[0]);
    for (const int *extent = shape.extent + 1; *extent; extent++)
        length += snprintf(text + length, size - length, ", %d", *extent);
    snprintf(text + length, size - length, shape.extent[1] ? ")" : ",)");
}

struct tensor_request tensor_begin(const char *why, const char *name, struct ledger_place place,
                                   struct tensor_shape shape) {
    struct tensor_request request = {};
    request.bytes = tensor_bytes(shape);
    request.entry.why = why;
    request.entry.place = place;
    snprintf(request.entry.name, sizeof request.entry.name, "%s", name);
    shape_text(shape, request.entry.shape, sizeof request.entry.shape);
    snprintf(request.label, sizeof request.label, "Size:%s", request.entry.shape);
    return request;
}

void *tensor_end(struct tensor_request *request, cudaError_t status) {
    struct ledger_tensor *entry = &request->entry;
    entry->bytes = request->bytes;
    if (status != cudaSuccess) {
        ledger_failed(entry);
        return NULL;
    }
    if (allocator.kind == ALLOCATOR_CACHING) entry->bytes = caching_block_bytes(request->data);
    entry->data = request->data;
    ledger_allocated(entry);
    return request->data;
}
