/*
 * Effects of the calls that hand out and take back linear device memory by address: cuMemAlloc and its kin, and the
 * stream-ordered ones that take it out of a pool; and of those that move managed memory. Called by the feeds through
 * the table in entry_points.h.
 */
#include <cupti.h>

#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/effects/effects.h"
#include "preload/effects/graph_memory.h"
#include "preload/effects/pools.h"
#include "preload/effects/views.h"
#include "preload/record.h"

void mt_effect_mem_alloc(const struct mt_call *call) {
    const cuMemAlloc_v2_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->dptr) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, p->bytesize);
        return;
    }
    mt_record_alloc(call, NULL, *p->dptr, p->bytesize);
}

void mt_effect_mem_alloc_v1(const struct mt_call *call) {
    const cuMemAlloc_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->dptr) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, p->bytesize);
        return;
    }
    mt_record_alloc(call, NULL, *p->dptr, p->bytesize);
}

// Rows lie `pitch` bytes apart, which the driver chooses: that is what is allocated. Asked for was less.
void mt_effect_mem_alloc_pitch(const struct mt_call *call) {
    const cuMemAllocPitch_v2_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->dptr || !p->pPitch) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, (uint64_t)p->WidthInBytes * p->Height);
        return;
    }
    mt_record_alloc(call, NULL, *p->dptr, (uint64_t)*p->pPitch * p->Height);
}

void mt_effect_mem_alloc_pitch_v1(const struct mt_call *call) {
    const cuMemAllocPitch_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->dptr || !p->pPitch) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, (uint64_t)p->WidthInBytes * p->Height);
        return;
    }
    mt_record_alloc(call, NULL, *p->dptr, (uint64_t)*p->pPitch * p->Height);
}

void mt_effect_mem_alloc_managed(const struct mt_call *call) {
    const cuMemAllocManaged_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->dptr) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, p->bytesize);
        return;
    }
    mt_record_alloc(call, NULL, *p->dptr, p->bytesize);
}

// Freeing address 0 is allowed and does nothing.
static void freed(const struct mt_call *call, CUstream stream, uint64_t address) {
    uint64_t bytes;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, stream, MT_TAG_ADDRESS, address);
    } else if (mt_view_take(address, &bytes)) {
        mt_record_unmapped(call, stream, address, bytes);
    } else if (address) {
        mt_record_free(call, stream, address);
    }
}

// Freeing this way waits for the device: pools may give back what they held.
void mt_effect_mem_free(const struct mt_call *call) {
    freed(call, NULL, ((const cuMemFree_v2_params *)call->params)->dptr);
    if (call->result == CUDA_SUCCESS) mt_pools_look(call);
}

void mt_effect_mem_free_v1(const struct mt_call *call) {
    freed(call, NULL, ((const cuMemFree_params *)call->params)->dptr);
}

// Asked for while the stream captures, an allocation or free becomes a node of a graph: nothing happens yet. pool NULL:
// the current one's.
static void captured(const struct mt_call *call, CUstream stream, uint64_t address, uint64_t bytes, CUmemoryPool pool) {
    CUdevice current = mt_context_device(call->context), device = pool ? mt_pool_device(pool) : current;
    if (device < 0) device = current;
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, address},
                                     {MT_TAG_MEMORY, MT_MEMORY_GRAPH},
                                     {MT_TAG_GRAPH, (uintptr_t)mt_capture_graph(stream, call->per_thread_stream)},
                                     {MT_TAG_BYTES, bytes},
                                     {MT_TAG_DEVICE, (uint64_t)device}};
    size_t count = !bytes ? 3 : device == current ? 4 : 5;
    mt_record_effect(call, MT_EFFECT_CAPTURED, MT_AFTER_CALL, stream, tags, count);
    if (bytes) mt_graph_memory_expected(device);
}

void mt_effect_mem_alloc_async(const struct mt_call *call) {
    const cuMemAllocAsync_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->dptr) {
        mt_record_failed(call, p->hStream, MT_TAG_BYTES, p->bytesize);
    } else if (mt_capture_includes(p->hStream, call->per_thread_stream)) {
        captured(call, p->hStream, *p->dptr, p->bytesize, NULL);
    } else {
        // It comes from the pool of the stream's device, whichever is current.
        struct mt_call there = *call;
        there.context = mt_context_of_stream(call, p->hStream);
        mt_record_alloc(&there, p->hStream, *p->dptr, p->bytesize);
        mt_pool_used(&there, NULL, *p->dptr, p->bytesize);
    }
}

// A pool may be used from a context on another device; its memory stays, and ends, on its own.
static void taken_from_pool(const struct mt_call *call) {
    const cuMemAllocFromPoolAsync_params *p = call->params;
    struct mt_call there = *call;
    CUdevice device = mt_pool_device(p->pool);
    bool elsewhere = device >= 0 && device != mt_context_device(call->context);
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, *p->dptr},
                                     {MT_TAG_BYTES, p->bytesize},
                                     {MT_TAG_POOL, (uintptr_t)p->pool},
                                     {MT_TAG_DEVICE, (uint64_t)device}};
    if (elsewhere) there.context = mt_context_on(device);
    mt_record_effect(&there, MT_EFFECT_ALLOCATED, MT_AFTER_CALL, p->hStream, tags, elsewhere ? 4 : 3);
    mt_pool_used(&there, p->pool, *p->dptr, p->bytesize);
}

void mt_effect_mem_alloc_from_pool_async(const struct mt_call *call) {
    const cuMemAllocFromPoolAsync_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->dptr) {
        mt_record_failed(call, p->hStream, MT_TAG_BYTES, p->bytesize);
    } else if (mt_capture_includes(p->hStream, call->per_thread_stream)) {
        captured(call, p->hStream, *p->dptr, p->bytesize, p->pool);
    } else if (mt_pool_device(p->pool) == MT_POOL_ON_HOST) {
        const struct mt_tagged tags[] = {
            {MT_TAG_ADDRESS, *p->dptr}, {MT_TAG_BYTES, p->bytesize}, {MT_TAG_MEMORY, MT_MEMORY_PINNED}};
        mt_record_effect(call, MT_EFFECT_ALLOCATED, MT_AFTER_CALL, p->hStream, tags, 3);
    } else {
        taken_from_pool(call);
    }
}

void mt_effect_mem_free_async(const struct mt_call *call) {
    const cuMemFreeAsync_params *p = call->params;
    if (call->result == CUDA_SUCCESS && mt_capture_includes(p->hStream, call->per_thread_stream)) {
        captured(call, p->hStream, p->dptr, 0, NULL);
    } else {
        freed(call, p->hStream, p->dptr);
    }
}

// Managed memory is told to move, and will have moved when the stream gets there. `device` below 0: to the host.
static void prefetched(const struct mt_call *call, CUstream stream, uint64_t address, uint64_t bytes, CUdevice device) {
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, stream, MT_TAG_ADDRESS, address);
        return;
    }
    const struct mt_tagged tags[] = {
        {MT_TAG_ADDRESS, address}, {MT_TAG_BYTES, bytes}, {MT_TAG_DEVICE, (uint64_t)device}};
    mt_record_effect(call, MT_EFFECT_MIGRATED, MT_AFTER_CALL, stream, tags, device < 0 ? 2 : 3);
}

void mt_effect_prefetch_v1(const struct mt_call *call) {
    const cuMemPrefetchAsync_params *p = call->params;
    prefetched(call, p->hStream, p->devPtr, p->count, p->dstDevice);
}

void mt_effect_prefetch(const struct mt_call *call) {
    const cuMemPrefetchAsync_v2_params *p = call->params;
    bool to_device = p->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    prefetched(call, p->hStream, p->devPtr, p->count, to_device ? p->location.id : -1);
}
