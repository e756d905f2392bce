/*
 * Effects of the calls that make, tune, share and end memory pools. What is allocated from a pool is in
 * effects/linear.c, how its reservation moves in effects/pools.c. Called by the feeds through entry_points.h.
 */
#include <cupti.h>

#include "preload/effects/effects.h"
#include "preload/effects/mem_range.h"
#include "preload/effects/pools.h"
#include "preload/effects/samples.h"
#include "preload/record.h"

void mt_effect_pool_create(const struct mt_call *call) {
    const cuMemPoolCreate_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->pool || !p->poolProps) {
        mt_record_failed(call, NULL, MT_TAG_POOL, 0);
        return;
    }
    const CUmemLocation *location = &p->poolProps->location;
    bool on_device = location->type == CU_MEM_LOCATION_TYPE_DEVICE;
    const struct mt_tagged tags[] = {{MT_TAG_POOL, (uintptr_t)*p->pool},
                                     {MT_TAG_LOCATION, location->type},
                                     {MT_TAG_DEVICE, on_device ? (uint64_t)location->id : 0}};
    mt_pool_add(*p->pool, on_device ? location->id : MT_POOL_ON_HOST);
    mt_record_effect(call, MT_EFFECT_POOL_CREATED, MT_AFTER_CALL, NULL, tags, on_device ? 3 : 2);
}

void mt_effect_pool_destroy(const struct mt_call *call) {
    CUmemoryPool pool = ((const cuMemPoolDestroy_params *)call->params)->pool;
    if (call->result != CUDA_SUCCESS) {
        mt_pool_stays(pool);
        mt_record_failed(call, NULL, MT_TAG_POOL, (uintptr_t)pool);
        return;
    }
    const struct mt_tagged tag = {MT_TAG_POOL, (uintptr_t)pool};
    mt_pool_remove(pool);
    mt_record_effect(call, MT_EFFECT_POOL_DESTROYED, MT_BEFORE_CALL, NULL, &tag, 1);
}

static void changed(const struct mt_call *call, CUmemoryPool pool, uint64_t attribute, uint64_t value) {
    const struct mt_tagged tags[] = {
        {MT_TAG_POOL, (uintptr_t)pool}, {MT_TAG_ATTRIBUTE, attribute}, {MT_TAG_VALUE, value}};
    mt_record_effect(call, MT_EFFECT_POOL_CHANGED, MT_AFTER_CALL, NULL, tags, 3);
}

void mt_effect_pool_trim(const struct mt_call *call) {
    const cuMemPoolTrimTo_params *p = call->params;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_POOL, (uintptr_t)p->pool);
        return;
    }
    // No attribute has number 0: the value is what the pool was asked to keep.
    changed(call, p->pool, 0, p->minBytesToKeep);
    mt_pools_look(call);
    mt_sample(call, 0);
}

// Only these two attributes are 64 bits wide and written by programs; the others are ints.
static uint64_t attribute_value(CUmemPool_attribute attribute, const void *value) {
    bool wide = attribute >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    return wide ? *(const cuuint64_t *)value : (uint64_t) * (const int *)value;
}

void mt_effect_pool_set_attribute(const struct mt_call *call) {
    const cuMemPoolSetAttribute_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->value) {
        mt_record_failed(call, NULL, MT_TAG_POOL, (uintptr_t)p->pool);
        return;
    }
    changed(call, p->pool, p->attr, attribute_value(p->attr, p->value));
}

void mt_effect_pool_set_access(const struct mt_call *call) {
    const cuMemPoolSetAccess_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->map) {
        mt_record_failed(call, NULL, MT_TAG_POOL, (uintptr_t)p->pool);
        return;
    }
    for (size_t i = 0; i < p->count; i++) {
        const struct mt_tagged tags[] = {{MT_TAG_POOL, (uintptr_t)p->pool},
                                         {MT_TAG_DEVICE, (uint64_t)p->map[i].location.id},
                                         {MT_TAG_FLAGS, p->map[i].flags}};
        mt_record_effect(call, MT_EFFECT_POOL_CHANGED, MT_AFTER_CALL, NULL, tags, 3);
    }
}

static void made_current(const struct mt_call *call, CUmemoryPool pool, CUdevice device) {
    const struct mt_tagged tags[] = {{MT_TAG_POOL, (uintptr_t)pool}, {MT_TAG_DEVICE, (uint64_t)device}};
    mt_pool_current(device, pool);
    mt_pool_seen(call, pool, device);
    mt_record_effect(call, MT_EFFECT_POOL_CURRENT, MT_AFTER_CALL, NULL, tags, 2);
}

void mt_effect_device_set_pool(const struct mt_call *call) {
    const cuDeviceSetMemPool_params *p = call->params;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_POOL, (uintptr_t)p->pool);
        return;
    }
    made_current(call, p->pool, p->dev);
}

static void found(const struct mt_call *call, const CUmemoryPool *pool, CUdevice device) {
    if (call->result == CUDA_SUCCESS && pool) mt_pool_seen(call, *pool, device);
}

void mt_effect_device_get_pool(const struct mt_call *call) {
    const cuDeviceGetMemPool_params *p = call->params;
    found(call, p->pool, p->dev);
}

void mt_effect_device_get_default_pool(const struct mt_call *call) {
    const cuDeviceGetDefaultMemPool_params *p = call->params;
    found(call, p->pool_out, p->dev);
}

// The ordinal of a location on a device, else -1.
static CUdevice location_device(const CUmemLocation *location) {
    return location && location->type == CU_MEM_LOCATION_TYPE_DEVICE ? location->id : -1;
}

void mt_effect_location_get_pool(const struct mt_call *call) {
    const cuMemGetMemPool_params *p = call->params;
    found(call, p->pool, location_device(p->location));
}

void mt_effect_location_set_pool(const struct mt_call *call) {
    const cuMemSetMemPool_params *p = call->params;
    CUdevice device = location_device(p->location);
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_POOL, (uintptr_t)p->pool);
        return;
    }
    // A device has one current pool for each type of allocation; cuMemAllocAsync takes the one for pinned memory.
    if (p->type == CU_MEM_ALLOCATION_TYPE_PINNED && device >= 0) {
        made_current(call, p->pool, device);
    } else {
        mt_pool_seen(call, p->pool, device);
    }
}

void mt_effect_pool_export(const struct mt_call *call) {
    const cuMemPoolExportToShareableHandle_params *p = call->params;
    const struct mt_tagged tag = {MT_TAG_POOL, (uintptr_t)p->pool};
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, tag.tag, tag.value);
    } else {
        mt_record_effect(call, MT_EFFECT_EXPORTED, MT_AFTER_CALL, NULL, &tag, 1);
    }
}

void mt_effect_pool_import(const struct mt_call *call) {
    const cuMemPoolImportFromShareableHandle_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->pool_out) {
        mt_record_failed(call, NULL, MT_TAG_POOL, 0);
        return;
    }
    const struct mt_tagged tags[] = {{MT_TAG_POOL, (uintptr_t)*p->pool_out}, {MT_TAG_MEMORY, MT_MEMORY_IMPORTED}};
    mt_record_effect(call, MT_EFFECT_POOL_CREATED, MT_AFTER_CALL, NULL, tags, 2);
}

void mt_effect_pool_export_pointer(const struct mt_call *call) {
    const cuMemPoolExportPointer_params *p = call->params;
    const struct mt_tagged tag = {MT_TAG_ADDRESS, p->ptr};
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, tag.tag, tag.value);
    } else {
        mt_record_effect(call, MT_EFFECT_EXPORTED, MT_AFTER_CALL, NULL, &tag, 1);
    }
}

void mt_effect_pool_import_pointer(const struct mt_call *call) {
    const cuMemPoolImportPointer_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->ptr_out) {
        mt_record_failed(call, NULL, MT_TAG_POOL, (uintptr_t)p->pool);
        return;
    }
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, *p->ptr_out},
                                     {MT_TAG_BYTES, mt_mem_range_bytes(*p->ptr_out)},
                                     {MT_TAG_POOL, (uintptr_t)p->pool}};
    mt_record_effect(call, MT_EFFECT_IMPORTED, MT_AFTER_CALL, NULL, tags, 3);
}
