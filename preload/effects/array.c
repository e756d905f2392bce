/*
 * Effects of CUDA arrays and mipmapped arrays, counted by handle. BYTES is what the elements take by format and extent;
 * the device pads and aligns, by rules it does not publish, so a sample follows. Called by the feeds through
 * entry_points.h.
 */
#include <cupti.h>

#include "preload/effects/effects.h"
#include "preload/effects/elements.h"
#include "preload/effects/samples.h"
#include "preload/effects/views.h"
#include "preload/record.h"

// The layouts before CUDA 3.2, which cupti.h leaves as dummies.
struct array_descriptor_v1 {
    unsigned width, height;
    CUarray_format format;
    unsigned channels;
};

struct array3d_descriptor_v1 {
    unsigned width, height, depth;
    CUarray_format format;
    unsigned channels, flags;
};

static void created(const struct mt_call *call, const void *handle, const struct mt_elements *elements,
                    unsigned levels) {
    uint64_t bytes = mt_elements_bytes(elements, levels);
    if (call->result != CUDA_SUCCESS || !handle) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, bytes);
        return;
    }
    // The memory of these comes later, from cuMemCreate, by cuMemMapArrayAsync.
    if (elements->flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING)) {
        const struct mt_tagged empty[] = {{MT_TAG_OBJECT, (uintptr_t) * (void *const *)handle},
                                          {MT_TAG_FLAGS, elements->flags}};
        mt_view_add(empty[0].value, 0, call->context);
        mt_record_effect(call, MT_EFFECT_NONE, MT_AFTER_CALL, NULL, empty, 2);
        return;
    }
    const struct mt_tagged tags[] = {
        {MT_TAG_OBJECT, (uintptr_t) * (void *const *)handle}, {MT_TAG_BYTES, bytes}, {MT_TAG_FLAGS, elements->flags}};
    mt_record_effect(call, MT_EFFECT_ALLOCATED, MT_AFTER_CALL, NULL, tags, elements->flags ? 3 : 2);
    mt_sample(call, 0);
}

static const struct mt_elements nothing;

static struct mt_elements elements_3d(const CUDA_ARRAY3D_DESCRIPTOR *d) {
    return d ? (struct mt_elements){d->Format, d->NumChannels, d->Width, d->Height, d->Depth, d->Flags} : nothing;
}

void mt_effect_array_create(const struct mt_call *call) {
    const cuArrayCreate_v2_params *p = call->params;
    const CUDA_ARRAY_DESCRIPTOR *d = p->pAllocateArray;
    struct mt_elements elements = nothing;
    if (d) elements = (struct mt_elements){d->Format, d->NumChannels, d->Width, d->Height, 0, 0};
    created(call, p->pHandle, &elements, 1);
}

void mt_effect_array_create_v1(const struct mt_call *call) {
    const cuArrayCreate_params *p = call->params;
    const struct array_descriptor_v1 *d = (const void *)p->pAllocateArray;
    struct mt_elements elements = nothing;
    if (d) elements = (struct mt_elements){d->format, d->channels, d->width, d->height, 0, 0};
    created(call, p->pHandle, &elements, 1);
}

void mt_effect_array_create_3d(const struct mt_call *call) {
    const cuArray3DCreate_v2_params *p = call->params;
    struct mt_elements elements = elements_3d(p->pAllocateArray);
    created(call, p->pHandle, &elements, 1);
}

void mt_effect_array_create_3d_v1(const struct mt_call *call) {
    const cuArray3DCreate_params *p = call->params;
    const struct array3d_descriptor_v1 *d = (const void *)p->pAllocateArray;
    struct mt_elements elements = nothing;
    if (d) elements = (struct mt_elements){d->format, d->channels, d->width, d->height, d->depth, d->flags};
    created(call, p->pHandle, &elements, 1);
}

void mt_effect_mipmapped_create(const struct mt_call *call) {
    const cuMipmappedArrayCreate_params *p = call->params;
    struct mt_elements elements = elements_3d(p->pMipmappedArrayDesc);
    created(call, p->pHandle, &elements, p->numMipmapLevels);
}

static void destroyed(const struct mt_call *call, const void *handle) {
    const struct mt_tagged tag = {MT_TAG_OBJECT, (uintptr_t)handle};
    uint64_t bytes;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, tag.tag, tag.value);
    } else if (mt_view_take(tag.value, &bytes)) {
        mt_record_unmapped(call, NULL, tag.value, bytes);
    } else {
        mt_record_effect(call, MT_EFFECT_FREED, MT_BEFORE_CALL, NULL, &tag, 1);
    }
}

void mt_effect_array_destroy(const struct mt_call *call) {
    destroyed(call, ((const cuArrayDestroy_params *)call->params)->hArray);
}

void mt_effect_mipmapped_destroy(const struct mt_call *call) {
    destroyed(call, ((const cuMipmappedArrayDestroy_params *)call->params)->hMipmappedArray);
}
