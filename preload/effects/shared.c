/*
 * Effects of the calls that share memory with other processes and other interfaces: what comes in this way is not
 * owned, what goes out may be kept alive elsewhere. Called by the feeds through entry_points.h.
 */
#include <cupti.h>

#include "preload/effects/effects.h"
#include "preload/effects/elements.h"
#include "preload/effects/mem_range.h"
#include "preload/effects/views.h"
#include "preload/record.h"

void mt_effect_ipc_get(const struct mt_call *call) {
    const struct mt_tagged tag = {MT_TAG_ADDRESS, ((const cuIpcGetMemHandle_params *)call->params)->dptr};
    mt_record_outcome(call, MT_EFFECT_EXPORTED, MT_AFTER_CALL, &tag, 1);
}

void mt_effect_ipc_open(const struct mt_call *call) {
    const cuIpcOpenMemHandle_v2_params *p = call->params;
    bool known = call->result == CUDA_SUCCESS && p->pdptr;
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, known ? *p->pdptr : 0},
                                     {MT_TAG_BYTES, known ? mt_mem_range_bytes(*p->pdptr) : 0}};
    mt_record_outcome(call, MT_EFFECT_IMPORTED, MT_AFTER_CALL, tags, 2);
}

void mt_effect_ipc_close(const struct mt_call *call) {
    const struct mt_tagged tag = {MT_TAG_ADDRESS, ((const cuIpcCloseMemHandle_params *)call->params)->dptr};
    mt_record_outcome(call, MT_EFFECT_CLOSED, MT_BEFORE_CALL, &tag, 1);
}

void mt_effect_external_import(const struct mt_call *call) {
    const cuImportExternalMemory_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->extMem_out) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, p->memHandleDesc ? p->memHandleDesc->size : 0);
        return;
    }
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, (uintptr_t)*p->extMem_out},
                                     {MT_TAG_BYTES, p->memHandleDesc->size}};
    mt_record_effect(call, MT_EFFECT_IMPORTED, MT_AFTER_CALL, NULL, tags, 2);
}

// A window into memory that is counted as the import. It keeps an identity of its own: an address or a handle.
static void view(const struct mt_call *call, uint64_t identity, uint64_t bytes, CUexternalMemory memory,
                 uint64_t offset) {
    const struct mt_tagged tags[] = {
        {MT_TAG_ADDRESS, identity}, {MT_TAG_BYTES, bytes}, {MT_TAG_OBJECT, (uintptr_t)memory}, {MT_TAG_OFFSET, offset}};
    mt_view_add(identity, bytes, call->context);
    mt_record_effect(call, MT_EFFECT_MAPPED, MT_AFTER_CALL, NULL, tags, 4);
}

void mt_effect_external_buffer(const struct mt_call *call) {
    const cuExternalMemoryGetMappedBuffer_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->devPtr || !p->bufferDesc) {
        mt_record_failed(call, NULL, MT_TAG_OBJECT, (uintptr_t)p->extMem);
        return;
    }
    view(call, *p->devPtr, p->bufferDesc->size, p->extMem, p->bufferDesc->offset);
}

void mt_effect_external_mipmapped(const struct mt_call *call) {
    const cuExternalMemoryGetMappedMipmappedArray_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->mipmap || !p->mipmapDesc) {
        mt_record_failed(call, NULL, MT_TAG_OBJECT, (uintptr_t)p->extMem);
        return;
    }
    const CUDA_ARRAY3D_DESCRIPTOR *d = &p->mipmapDesc->arrayDesc;
    const struct mt_elements elements = {d->Format, d->NumChannels, d->Width, d->Height, d->Depth, d->Flags};
    view(call, (uintptr_t)*p->mipmap, mt_elements_bytes(&elements, p->mipmapDesc->numLevels), p->extMem,
         p->mipmapDesc->offset);
}

void mt_effect_external_destroy(const struct mt_call *call) {
    const struct mt_tagged tag = {MT_TAG_OBJECT,
                                  (uintptr_t)((const cuDestroyExternalMemory_params *)call->params)->extMem};
    mt_record_outcome(call, MT_EFFECT_CLOSED, MT_BEFORE_CALL, &tag, 1);
}

void mt_effect_multicast_create(const struct mt_call *call) {
    const cuMulticastCreate_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->mcHandle || !p->prop) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, p->prop ? p->prop->size : 0);
        return;
    }
    const struct mt_tagged tags[] = {
        {MT_TAG_OBJECT, *p->mcHandle}, {MT_TAG_BYTES, p->prop->size}, {MT_TAG_COUNT, p->prop->numDevices}};
    mt_record_effect(call, MT_EFFECT_MULTICAST, MT_AFTER_CALL, NULL, tags, 3);
}

void mt_effect_multicast_add(const struct mt_call *call) {
    const cuMulticastAddDevice_params *p = call->params;
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, p->mcHandle}, {MT_TAG_DEVICE, (uint64_t)p->dev}};
    mt_record_outcome(call, MT_EFFECT_MULTICAST, MT_AFTER_CALL, tags, 2);
}

// Bound memory stays alive as long as it is bound: VALUE is its handle.
void mt_effect_multicast_bind(const struct mt_call *call) {
    const cuMulticastBindMem_params *p = call->params;
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, p->mcHandle},
                                     {MT_TAG_OFFSET, p->mcOffset},
                                     {MT_TAG_BYTES, p->size},
                                     {MT_TAG_VALUE, p->memHandle}};
    mt_record_outcome(call, MT_EFFECT_MULTICAST, MT_AFTER_CALL, tags, 4);
}

void mt_effect_multicast_bind_address(const struct mt_call *call) {
    const cuMulticastBindAddr_params *p = call->params;
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, p->mcHandle},
                                     {MT_TAG_OFFSET, p->mcOffset},
                                     {MT_TAG_BYTES, p->size},
                                     {MT_TAG_ADDRESS, p->memptr}};
    mt_record_outcome(call, MT_EFFECT_MULTICAST, MT_AFTER_CALL, tags, 4);
}

void mt_effect_multicast_unbind(const struct mt_call *call) {
    const cuMulticastUnbind_params *p = call->params;
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, p->mcHandle},
                                     {MT_TAG_DEVICE, (uint64_t)p->dev},
                                     {MT_TAG_OFFSET, p->mcOffset},
                                     {MT_TAG_BYTES, p->size}};
    mt_record_outcome(call, MT_EFFECT_MULTICAST, MT_BEFORE_CALL, tags, 4);
}
