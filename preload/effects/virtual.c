/*
 * Effects of virtual memory management: address ranges without memory, physical memory without an address, and the
 * mappings between them. Physical memory is counted by handle, from cuMemCreate to the last of its references and
 * mappings. Called by the feeds through entry_points.h.
 */
#include <cupti.h>

#include "preload/effects/effects.h"
#include "preload/record.h"

void mt_effect_address_reserve(const struct mt_call *call) {
    const cuMemAddressReserve_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->ptr) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, p->size);
        return;
    }
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, *p->ptr}, {MT_TAG_BYTES, p->size}};
    mt_record_effect(call, MT_EFFECT_RESERVED, MT_AFTER_CALL, NULL, tags, 2);
}

void mt_effect_address_free(const struct mt_call *call) {
    const cuMemAddressFree_params *p = call->params;
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, p->ptr}, {MT_TAG_BYTES, p->size}};
    mt_record_outcome(call, MT_EFFECT_UNRESERVED, MT_BEFORE_CALL, tags, 2);
}

void mt_effect_physical_create(const struct mt_call *call) {
    const cuMemCreate_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->handle || !p->prop) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, p->size);
        return;
    }
    // Memory of a host location is no device memory: its id is a NUMA node.
    bool on_device = p->prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, *p->handle},
                                     {MT_TAG_BYTES, p->size},
                                     {MT_TAG_LOCATION, p->prop->location.type},
                                     {MT_TAG_DEVICE, on_device ? (uint64_t)p->prop->location.id : 0}};
    mt_record_effect(call, MT_EFFECT_ALLOCATED, MT_AFTER_CALL, NULL, tags, on_device ? 4 : 3);
}

void mt_effect_physical_release(const struct mt_call *call) {
    const struct mt_tagged tag = {MT_TAG_OBJECT, ((const cuMemRelease_params *)call->params)->handle};
    mt_record_outcome(call, MT_EFFECT_RELEASED, MT_BEFORE_CALL, &tag, 1);
}

void mt_effect_map(const struct mt_call *call) {
    const cuMemMap_params *p = call->params;
    const struct mt_tagged tags[] = {
        {MT_TAG_ADDRESS, p->ptr}, {MT_TAG_BYTES, p->size}, {MT_TAG_OBJECT, p->handle}, {MT_TAG_OFFSET, p->offset}};
    mt_record_outcome(call, MT_EFFECT_MAPPED, MT_AFTER_CALL, tags, 4);
}

void mt_effect_unmap(const struct mt_call *call) {
    const cuMemUnmap_params *p = call->params;
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, p->ptr}, {MT_TAG_BYTES, p->size}};
    mt_record_outcome(call, MT_EFFECT_UNMAPPED, MT_BEFORE_CALL, tags, 2);
}

void mt_effect_set_access(const struct mt_call *call) {
    const cuMemSetAccess_params *p = call->params;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_ADDRESS, p->ptr);
        return;
    }
    for (size_t i = 0; p->desc && i < p->count; i++) {
        const CUmemLocation *location = &p->desc[i].location;
        bool on_device = location->type == CU_MEM_LOCATION_TYPE_DEVICE; // the id of another kind is no device's
        const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, p->ptr},
                                         {MT_TAG_BYTES, p->size},
                                         {MT_TAG_FLAGS, p->desc[i].flags},
                                         {MT_TAG_LOCATION, location->type},
                                         {MT_TAG_DEVICE, on_device ? (uint64_t)location->id : 0}};
        mt_record_effect(call, MT_EFFECT_NONE, MT_AFTER_CALL, NULL, tags, on_device ? 5 : 4);
    }
}

void mt_effect_retain_handle(const struct mt_call *call) {
    const cuMemRetainAllocationHandle_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->handle) {
        mt_record_failed(call, NULL, MT_TAG_ADDRESS, (uintptr_t)p->addr);
        return;
    }
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, *p->handle}, {MT_TAG_ADDRESS, (uintptr_t)p->addr}};
    mt_record_effect(call, MT_EFFECT_RETAINED, MT_AFTER_CALL, NULL, tags, 2);
}

void mt_effect_export_handle(const struct mt_call *call) {
    const struct mt_tagged tag = {MT_TAG_OBJECT, ((const cuMemExportToShareableHandle_params *)call->params)->handle};
    mt_record_outcome(call, MT_EFFECT_EXPORTED, MT_AFTER_CALL, &tag, 1);
}

// Its size is not known before it is mapped.
void mt_effect_import_handle(const struct mt_call *call) {
    const cuMemImportFromShareableHandle_params *p = call->params;
    bool known = call->result == CUDA_SUCCESS && p->handle;
    const struct mt_tagged tag = {MT_TAG_OBJECT, known ? *p->handle : 0};
    mt_record_outcome(call, MT_EFFECT_IMPORTED, MT_AFTER_CALL, &tag, 1);
}

// A tile of a sparse array has no address. It gets a number that its mapping and its unmapping agree on, far above all
// addresses.
static uint64_t tile(const CUarrayMapInfo *map) {
    uint64_t mixed = (uintptr_t)map->resource.array;
    if (map->subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL) {
        mixed = (mixed ^ map->subresource.miptail.layer) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ map->subresource.miptail.offset) * 0x9e3779b97f4a7c15u;
    } else {
        mixed = (mixed ^ map->subresource.sparseLevel.level) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ map->subresource.sparseLevel.layer) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ map->subresource.sparseLevel.offsetX) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ map->subresource.sparseLevel.offsetY) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ map->subresource.sparseLevel.offsetZ) * 0x9e3779b97f4a7c15u;
    }
    return mixed | (uint64_t)1 << 63;
}

void mt_effect_map_array(const struct mt_call *call) {
    const cuMemMapArrayAsync_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->mapInfoList) {
        mt_record_failed(call, p->hStream, MT_TAG_COUNT, p->count);
        return;
    }
    for (unsigned i = 0; i < p->count; i++) {
        const CUarrayMapInfo *map = &p->mapInfoList[i];
        bool mapped = map->memOperationType == CU_MEM_OPERATION_TYPE_MAP;
        const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, tile(map)},
                                         {MT_TAG_BYTES, 1},
                                         {MT_TAG_OBJECT, map->memHandle.memHandle},
                                         {MT_TAG_OFFSET, map->offset}};
        if (mapped) {
            mt_record_effect(call, MT_EFFECT_MAPPED, MT_AFTER_CALL, p->hStream, tags, 4);
        } else {
            mt_record_effect(call, MT_EFFECT_UNMAPPED, MT_BEFORE_CALL, p->hStream, tags, 2);
        }
    }
}
