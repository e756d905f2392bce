/*
 * See nvtx/memory.h. Batches are arrays of elements whose size the caller states, since later versions may add members.
 */
#include "preload/nvtx/memory.h"

#include <stdatomic.h>

#include "preload/guard.h"
#include "preload/session.h"
#include "preload/unwind.h"

enum api { API_HEAP_REGISTER, API_HEAP_UNREGISTER, API_HEAP_RESET, API_REGISTER, API_RESIZE, API_UNREGISTER, API_NAME };
static const struct {
    const char *name;
    enum mt_effect effect;
} apis[] = {
    [API_HEAP_REGISTER] = {"nvtxMemHeapRegister", MT_EFFECT_POOL_CREATED},
    [API_HEAP_UNREGISTER] = {"nvtxMemHeapUnregister", MT_EFFECT_POOL_DESTROYED},
    [API_HEAP_RESET] = {"nvtxMemHeapReset", MT_EFFECT_POOL_DESTROYED},
    [API_REGISTER] = {"nvtxMemRegionsRegister", MT_EFFECT_ALLOCATED},
    [API_RESIZE] = {"nvtxMemRegionsResize", MT_EFFECT_ALLOCATED},
    [API_UNREGISTER] = {"nvtxMemRegionsUnregister", MT_EFFECT_FREED},
    [API_NAME] = {"nvtxMemRegionsName", MT_EFFECT_NAMED},
};
static _Atomic(uint32_t) api_ids[sizeof apis / sizeof apis[0]];

// Under the guard.
static struct mt_event new_event(enum api api) {
    uint32_t id = atomic_load_explicit(&api_ids[api], memory_order_relaxed);
    if (!id) {
        id = mt_define_api(mt_session_trace(), apis[api].name, apis[api].effect, MT_MEMORY_TENSOR);
        atomic_store_explicit(&api_ids[api], id, memory_order_relaxed);
    }
    return (struct mt_event){
        .time_ns = mt_now_ns(),
        .api = id,
        .stack = mt_unwind_stack(mt_session_trace()),
        .context = mt_thread.context_id,
    };
}

// A heap's handle is a number of ours; odd ones only describe how memory is laid out, so their regions are no blocks.
static nvtxMemHeapHandle_t new_heap(bool layout) {
    static _Atomic(uintptr_t) count;
    return (nvtxMemHeapHandle_t)((atomic_fetch_add(&count, 1) + 1) << 1 | layout);
}

static bool is_layout(nvtxMemHeapHandle_t heap) {
    return (uintptr_t)heap & 1;
}

static void put(struct mt_tagged *tags, size_t *count, enum mt_tag tag, uint64_t value) {
    tags[(*count)++] = (struct mt_tagged){tag, value};
}

struct registration {
    const nvtxMemHeapDesc_t *heap;
    nvtxMemHeapHandle_t handle;
};

static void write_heap(void *argument) {
    const struct registration *registration = argument;
    const nvtxMemHeapDesc_t *heap = registration->heap;
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    struct mt_tagged tags[4];
    size_t count = 0;
    put(tags, &count, MT_TAG_POOL, (uintptr_t)registration->handle);
    const nvtxMemVirtualRangeDesc_t *range = heap->typeSpecificDesc;
    if (heap->type == NVTX_MEM_TYPE_VIRTUAL_ADDRESS && range && heap->typeSpecificDescSize >= sizeof *range) {
        put(tags, &count, MT_TAG_ADDRESS, (uintptr_t)range->ptr);
        put(tags, &count, MT_TAG_BYTES, range->size);
    }
    mt_nvtx_message_typed(&message, (int32_t)heap->messageType, heap->message, buffer);
    if (*message.text) put(tags, &count, MT_TAG_TEXT, mt_define_string(mt_session_trace(), message.text));
    struct mt_event event = new_event(API_HEAP_REGISTER);
    mt_write_event(mt_thread.lane, MT_EFFECT_POOL_CREATED, &event, tags, count);
}

static nvtxMemHeapHandle_t NVTX_API on_heap_register(nvtxDomainHandle_t domain, const nvtxMemHeapDesc_t *heap) {
    (void)domain;
    if (!heap || heap->structSize < sizeof *heap) return NULL;
    struct registration registration = {heap, new_heap(heap->usage == NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT)};
    if (!is_layout(registration.handle)) mt_guarded(write_heap, &registration);
    return registration.handle;
}

static void write_heap_end(nvtxMemHeapHandle_t heap, enum api api) {
    struct mt_tagged tag = {MT_TAG_POOL, (uintptr_t)heap};
    struct mt_event event = new_event(api);
    mt_write_event(mt_thread.lane, MT_EFFECT_POOL_DESTROYED, &event, &tag, 1);
    if (api == API_HEAP_RESET) mt_write_event(mt_thread.lane, MT_EFFECT_POOL_CREATED, &event, &tag, 1);
}

static void unregister_heap(void *heap) {
    write_heap_end(heap, API_HEAP_UNREGISTER);
}

static void NVTX_API on_heap_unregister(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap) {
    (void)domain;
    if (!is_layout(heap)) mt_guarded(unregister_heap, heap);
}

static void reset_heap(void *heap) {
    write_heap_end(heap, API_HEAP_RESET);
}

static void NVTX_API on_heap_reset(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap) {
    (void)domain;
    if (!is_layout(heap)) mt_guarded(reset_heap, heap);
}

static void write_block(enum mt_effect effect, const struct mt_event *event, nvtxMemHeapHandle_t heap,
                        const nvtxMemVirtualRangeDesc_t *range) {
    struct mt_tagged tags[3];
    size_t count = 0;
    put(tags, &count, MT_TAG_ADDRESS, (uintptr_t)range->ptr);
    if (effect == MT_EFFECT_ALLOCATED) put(tags, &count, MT_TAG_BYTES, range->size);
    if (heap) put(tags, &count, MT_TAG_POOL, (uintptr_t)heap);
    mt_write_event(mt_thread.lane, effect, event, tags, count);
}

static const void *element(const void *elements, size_t element_bytes, size_t index) {
    return (const char *)elements + index * element_bytes;
}

static void write_regions(void *argument) {
    const nvtxMemRegionsRegisterBatch_t *batch = argument;
    struct mt_event event = new_event(API_REGISTER);
    for (size_t i = 0; i < batch->regionCount; i++) {
        write_block(MT_EFFECT_ALLOCATED, &event, batch->heap,
                    element(batch->regionDescElements, batch->regionDescElementSize, i));
    }
}

// A region's handle is its address.
static void NVTX_API on_register(nvtxDomainHandle_t domain, const nvtxMemRegionsRegisterBatch_t *batch) {
    (void)domain;
    if (!batch || batch->structSize < sizeof *batch || batch->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS) return;
    if (!batch->regionDescElements || batch->regionDescElementSize < sizeof(nvtxMemVirtualRangeDesc_t)) return;
    if (!is_layout(batch->heap)) mt_guarded(write_regions, (void *)(uintptr_t)batch);
    for (size_t i = 0; i < batch->regionCount && batch->regionHandleElementsOut; i++) {
        const nvtxMemVirtualRangeDesc_t *range = element(batch->regionDescElements, batch->regionDescElementSize, i);
        batch->regionHandleElementsOut[i] = (nvtxMemRegionHandle_t)range->ptr;
    }
}

static void write_resizes(void *argument) {
    const nvtxMemRegionsResizeBatch_t *batch = argument;
    struct mt_event event = new_event(API_RESIZE);
    for (size_t i = 0; i < batch->regionDescCount; i++) {
        const nvtxMemVirtualRangeDesc_t *range = element(batch->regionDescElements, batch->regionDescElementSize, i);
        write_block(MT_EFFECT_FREED, &event, NULL, range);
        write_block(MT_EFFECT_ALLOCATED, &event, NULL, range);
    }
}

static void NVTX_API on_resize(nvtxDomainHandle_t domain, const nvtxMemRegionsResizeBatch_t *batch) {
    (void)domain;
    if (!batch || batch->structSize < sizeof *batch || batch->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS) return;
    if (!batch->regionDescElements || batch->regionDescElementSize < sizeof(nvtxMemVirtualRangeDesc_t)) return;
    mt_guarded(write_resizes, (void *)(uintptr_t)batch);
}

static void write_unregistrations(void *argument) {
    const nvtxMemRegionsUnregisterBatch_t *batch = argument;
    struct mt_event event = new_event(API_UNREGISTER);
    for (size_t i = 0; i < batch->refCount; i++) {
        const nvtxMemRegionRef_t *region = element(batch->refElements, batch->refElementSize, i);
        const nvtxMemVirtualRangeDesc_t range = {.ptr = region->pointer};
        write_block(MT_EFFECT_FREED, &event, NULL, &range);
    }
}

static void NVTX_API on_unregister(nvtxDomainHandle_t domain, const nvtxMemRegionsUnregisterBatch_t *batch) {
    (void)domain;
    if (!batch || batch->structSize < sizeof *batch || !batch->refElements) return;
    if (batch->refElementSize < sizeof(nvtxMemRegionRef_t)) return;
    mt_guarded(write_unregistrations, (void *)(uintptr_t)batch);
}

static void write_names(void *argument) {
    const nvtxMemRegionsNameBatch_t *batch = argument;
    char buffer[MT_NVTX_TEXT_BYTES];
    struct mt_nvtx_message message;
    struct mt_event event = new_event(API_NAME);
    for (size_t i = 0; i < batch->regionCount; i++) {
        const nvtxMemRegionNameDesc_t *region = element(batch->regionElements, batch->regionElementSize, i);
        mt_nvtx_message_typed(&message, (int32_t)region->nameType, region->name, buffer);
        struct mt_tagged tags[] = {
            {MT_TAG_ADDRESS, (uintptr_t)region->region.pointer},
            {MT_TAG_TEXT, mt_define_string(mt_session_trace(), message.text)},
        };
        mt_write_event(mt_thread.lane, MT_EFFECT_NAMED, &event, tags, 2);
    }
}

static void NVTX_API on_name(nvtxDomainHandle_t domain, const nvtxMemRegionsNameBatch_t *batch) {
    (void)domain;
    if (!batch || batch->structSize < sizeof *batch || !batch->regionElements) return;
    if (batch->regionElementSize < sizeof(nvtxMemRegionNameDesc_t)) return;
    mt_guarded(write_names, (void *)(uintptr_t)batch);
}

int mt_nvtx_memory_attach(nvtxExtModuleInfo_t *module) {
    static const struct {
        size_t id;
        NvtxFunctionPointer function;
    } rows[] = {
        {NVTX3EXT_CBID_nvtxMemHeapRegister, (NvtxFunctionPointer)on_heap_register},
        {NVTX3EXT_CBID_nvtxMemHeapUnregister, (NvtxFunctionPointer)on_heap_unregister},
        {NVTX3EXT_CBID_nvtxMemHeapReset, (NvtxFunctionPointer)on_heap_reset},
        {NVTX3EXT_CBID_nvtxMemRegionsRegister, (NvtxFunctionPointer)on_register},
        {NVTX3EXT_CBID_nvtxMemRegionsResize, (NvtxFunctionPointer)on_resize},
        {NVTX3EXT_CBID_nvtxMemRegionsUnregister, (NvtxFunctionPointer)on_unregister},
        {NVTX3EXT_CBID_nvtxMemRegionsName, (NvtxFunctionPointer)on_name},
    };
    if (module->structSize < sizeof *module || module->compatId != NVTX_EXT_COMPATID_MEM) return 0;
    if (module->segmentsCount < 1 || !module->segments || !module->segments[0].functionSlots) return 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].id >= module->segments[0].slotCount) continue;
        module->segments[0].functionSlots[rows[i].id] = (intptr_t)rows[i].function;
    }
    return 1;
}
