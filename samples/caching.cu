/* The caching allocator of samples/caching.h. A segment is a list of blocks that tile it in address order, so splitting
 * and merging are list operations; searches are linear, which a sample's few hundred blocks can afford.
 */
#include "samples/caching.h"

#include "kernels/launch.h"
#include "samples/ledger.h"

#define MIB ((size_t)1 << 20)

/* The value of a CUDA call, whose own line goes to `place` for the ledger. */
#define PLACED(place, call) (place = {__func__, __FILE__, __LINE__}, (call))

static const size_t block_step = 512;        // block sizes are multiples of this
static const size_t small_most = MIB;        // larger blocks are large
static const size_t small_segment = 2 * MIB; // for small blocks
static const size_t large_segment = 20 * MIB;
static const size_t shared_less = 10 * MIB; // large blocks below this share large segments
static const size_t segment_step = 2 * MIB; // the others' segments are multiples of this

struct segment;

struct block {
    char *data; // [bytes]
    size_t bytes;
    bool in_use;
    struct segment *segment;
    struct block *previous, *next; // neighbours within the segment
};

struct segment {
    size_t bytes;
    bool small;
    struct block *first; // starts where the segment does
    struct segment *next;
    nvtxMemHeapHandle_t heap; // what the tool, if any, calls it
};

static struct segment *segments; // oldest last
static size_t reserved;          // bytes

static size_t round_up(size_t bytes, size_t step) {
    return (bytes + step - 1) / step * step;
}

/* The smallest free block that fits; of equals the one with the lowest address. */
static struct block *best_fit(bool small, size_t bytes) {
    struct block *best = NULL;
    for (struct segment *segment = segments; segment; segment = segment->next) {
        if (segment->small != small) continue;
        for (struct block *block = segment->first; block; block = block->next) {
            if (block->in_use || block->bytes < bytes) continue;
            if (!best || block->bytes < best->bytes || (block->bytes == best->bytes && block->data < best->data))
                best = block;
        }
    }
    return best;
}

static struct block *find(const void *data) {
    for (struct segment *segment = segments; segment; segment = segment->next)
        for (struct block *block = segment->first; block; block = block->next)
            if (block->in_use && block->data == data) return block;
    fprintf(stderr, "caching: %p is not in use\n", data);
    abort();
}

static nvtxMemHeapHandle_t heap_register(const void *data, size_t bytes) {
    nvtxMemVirtualRangeDesc_t range = {};
    range.size = bytes;
    range.ptr = data;
    nvtxMemHeapDesc_t heap = {};
    heap.extCompatID = NVTX_EXT_COMPATID_MEM;
    heap.structSize = sizeof heap;
    heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
    heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    heap.typeSpecificDescSize = sizeof range;
    heap.typeSpecificDesc = &range;
    heap.messageType = NVTX_MESSAGE_TYPE_ASCII;
    heap.message.ascii = "caching segment";
    return nvtxMemHeapRegister(NULL, &heap);
}

static cudaError_t segment_create(bool small, size_t bytes) {
    struct ledger_place place;
    void *data;
    const cudaError_t status = PLACED(place, cudaMalloc(&data, bytes));
    if (status != cudaSuccess) return status;
    struct segment *segment = new struct segment();
    *segment = {bytes, small, new struct block(), segments, heap_register(data, bytes)};
    *segment->first = {(char *)data, bytes, false, segment, NULL, NULL};
    segments = segment;
    reserved += bytes;
    ledger_segment('>', bytes, reserved, place);
    return cudaSuccess;
}

/* Cuts what `block` has over `bytes` into a free block of its own, if that is worth having. */
static void split(struct block *block, size_t bytes) {
    const size_t rest = block->bytes - bytes;
    if (block->segment->small ? rest < block_step : rest <= small_most) return;
    struct block *tail = new struct block();
    *tail = {block->data + bytes, rest, false, block->segment, block, block->next};
    if (block->next) block->next->previous = tail;
    block->next = tail;
    block->bytes = bytes;
}

cudaError_t caching_malloc(void **data, size_t bytes) {
    bytes = bytes < block_step ? block_step : round_up(bytes, block_step);
    const bool small = bytes <= small_most;
    const size_t segment = small ? small_segment : bytes < shared_less ? large_segment : round_up(bytes, segment_step);

    struct block *block = best_fit(small, bytes);
    if (!block) {
        cudaError_t status = segment_create(small, segment);
        if (status == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError(); // it was an answer
            caching_empty();
            status = segment_create(small, segment);
        }
        if (status != cudaSuccess) return status;
        block = segments->first;
    }
    block->in_use = true;
    split(block, bytes);
    *data = block->data;
    return cudaSuccess;
}

/* Takes the free block `second` into `first`, its free neighbour before it. */
static void merge(struct block *first, struct block *second) {
    if (!first || !second || first->in_use || second->in_use) return;
    first->bytes += second->bytes;
    first->next = second->next;
    if (second->next) second->next->previous = first;
    delete second;
}

void caching_free(void *data) {
    struct block *block = find(data);
    block->in_use = false;
    merge(block, block->next);
    merge(block->previous, block);
}

void caching_empty(void) {
    for (struct segment **link = &segments; *link;) {
        struct segment *segment = *link;
        if (segment->first->in_use || segment->first->next) {
            link = &segment->next;
            continue;
        }
        struct ledger_place place;
        nvtxMemHeapUnregister(NULL, segment->heap);
        CUDA_CHECK(PLACED(place, cudaFree(segment->first->data)));
        reserved -= segment->bytes;
        ledger_segment('<', segment->bytes, reserved, place);
        *link = segment->next;
        delete segment->first;
        delete segment;
    }
}

size_t caching_block_bytes(const void *data) {
    return find(data)->bytes;
}

size_t caching_reserved(void) {
    return reserved;
}

const nvtxMemRegionsRegisterBatch_t *caching_region(const void *data) {
    static nvtxMemVirtualRangeDesc_t range;
    static nvtxMemRegionsRegisterBatch_t batch;
    const struct block *block = find(data);

    range.size = block->bytes;
    range.ptr = block->data;
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.heap = block->segment->heap;
    batch.regionCount = 1;
    batch.regionDescElementSize = sizeof range;
    batch.regionDescElements = &range;
    return &batch;
}

const nvtxMemRegionsUnregisterBatch_t *caching_region_end(const void *data) {
    static nvtxMemRegionRef_t reference;
    static nvtxMemRegionsUnregisterBatch_t batch;

    reference.pointer = data;
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.refType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    batch.refCount = 1;
    batch.refElementSize = sizeof reference;
    batch.refElements = &reference;
    return &batch;
}
