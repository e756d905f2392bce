/*
 * Effects of the calls that make and end contexts, and with them all their memory. Context creation takes hundreds of
 * MiB of device memory that no allocation explains: a sample follows it. Called by the feeds through entry_points.h.
 */
#include <cupti.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/effects/device_facts.h"
#include "preload/effects/effects.h"
#include "preload/effects/graph_memory.h"
#include "preload/effects/kernels.h"
#include "preload/effects/nvml.h"
#include "preload/effects/pools.h"
#include "preload/effects/samples.h"
#include "preload/effects/views.h"
#include "preload/record.h"
#include "preload/session.h"

#define DEVICES_MAX 64

static void created(const struct mt_call *call, const CUcontext *context, CUdevice device, bool primary) {
    bool is_new;
    if (call->result != CUDA_SUCCESS || !context) {
        mt_record_failed(call, NULL, MT_TAG_DEVICE, (uint64_t)device);
        return;
    }
    mt_device_facts_write();
    uint32_t id = mt_context_created(*context, device, primary, &is_new);
    if (!is_new) return;
    const struct mt_tagged tags[] = {{MT_TAG_CONTEXT, id}, {MT_TAG_DEVICE, (uint64_t)device}};
    mt_record_effect(call, MT_EFFECT_CONTEXT_CREATED, MT_AFTER_CALL, NULL, tags, 2);
    mt_sample_context(call, *context);
    mt_nvml_sample(call, device);
}

void mt_effect_ctx_create(const struct mt_call *call) {
    const cuCtxCreate_v2_params *p = call->params;
    created(call, p->pctx, p->dev, false);
}

void mt_effect_ctx_create_v3(const struct mt_call *call) {
    const cuCtxCreate_v3_params *p = call->params;
    created(call, p->pctx, p->dev, false);
}

void mt_effect_ctx_create_v4(const struct mt_call *call) {
    const cuCtxCreate_v4_params *p = call->params;
    created(call, p->pctx, p->dev, false);
}

void mt_effect_primary_ctx_retain(const struct mt_call *call) {
    const cuDevicePrimaryCtxRetain_params *p = call->params;
    created(call, p->pctx, p->dev, true);
}

// With a context go its streams, its code and what it sees of others' memory.
static void gone(CUcontext context) {
    mt_capture_context_ended(context);
    mt_views_context_ended(context);
    mt_kernels_forget();
}

void mt_effect_ctx_destroy(const struct mt_call *call) {
    CUcontext context = ((const cuCtxDestroy_v2_params *)call->params)->ctx;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_OBJECT, (uintptr_t)context);
        return;
    }
    const struct mt_tagged tag = {MT_TAG_CONTEXT, mt_context_ended(context, call->enter_ns)};
    gone(context);
    if (tag.value) mt_record_effect(call, MT_EFFECT_CONTEXT_ENDED, MT_BEFORE_CALL, NULL, &tag, 1);
}

// One that is gone may still be called current.
static bool is_current_and_alive(CUcontext context) {
    CUdevice device;
    return mt_driver.ctx_get_device && mt_session_may_call_cuda() && mt_context_is_current(context) &&
           mt_driver.ctx_get_device(&device) == CUDA_SUCCESS;
}

// Only the last of those who attached to a context ends it, and it was current to each.
void mt_effect_ctx_detach(const struct mt_call *call) {
    CUcontext context = ((const cuCtxDetach_params *)call->params)->ctx;
    if (call->result == CUDA_SUCCESS && is_current_and_alive(context)) return;
    mt_effect_ctx_destroy(call);
}

static void reset(const struct mt_call *call, CUdevice device) {
    gone(mt_context_primary(device));
    uint32_t id = mt_context_primary_ended(device, call->enter_ns);
    const struct mt_tagged tags[] = {{MT_TAG_DEVICE, (uint64_t)device}, {MT_TAG_CONTEXT, id}};
    mt_record_effect(call, MT_EFFECT_DEVICE_RESET, MT_BEFORE_CALL, NULL, tags, id ? 2 : 1);
    mt_graph_memory_reset(device);
    mt_pools_forget_reserved();
}

void mt_effect_primary_ctx_reset(const struct mt_call *call) {
    CUdevice device = ((const cuDevicePrimaryCtxReset_v2_params *)call->params)->dev;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_DEVICE, (uint64_t)device);
        return;
    }
    reset(call, device);
}

// Only the last release ends the primary context; who else retained it, only the driver knows. It is asked while a
// stream captures too: the capture may have gone with the context, and the question looks at no memory and no stream.
static void reset_if_inactive(const struct mt_call *call, CUdevice device) {
    unsigned flags;
    int active;
    if (!mt_driver.primary_ctx_get_state || !mt_session_may_call_cuda()) return;
    if (mt_driver.primary_ctx_get_state(device, &flags, &active) == CUDA_SUCCESS && !active) reset(call, device);
}

void mt_effect_primary_ctx_release(const struct mt_call *call) {
    CUdevice device = ((const cuDevicePrimaryCtxRelease_v2_params *)call->params)->dev;
    // The runtime's own exit handler lets go of its contexts after the driver has gone: nobody's mistake.
    if (call->result == CUDA_ERROR_DEINITIALIZED) return;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_DEVICE, (uint64_t)device);
        return;
    }
    reset_if_inactive(call, device);
}

// A green context shares the primary context of its device, which it retains, and the memory of that: what is allocated
// in one is not gone with it. CONTEXT 0 says so.
void mt_effect_green_ctx_create(const struct mt_call *call) {
    const cuGreenCtxCreate_params *p = call->params;
    if (call->result != CUDA_SUCCESS || !p->phCtx) {
        mt_record_failed(call, NULL, MT_TAG_DEVICE, (uint64_t)p->dev);
        return;
    }
    mt_device_facts_write();
    mt_contexts_expect_found();
    const struct mt_tagged tags[] = {
        {MT_TAG_OBJECT, (uintptr_t)*p->phCtx}, {MT_TAG_CONTEXT, 0}, {MT_TAG_DEVICE, (uint64_t)p->dev}};
    mt_record_effect(call, MT_EFFECT_CONTEXT_CREATED, MT_AFTER_CALL, NULL, tags, 3);
    mt_sample(call, 0);
}

void mt_effect_green_ctx_destroy(const struct mt_call *call) {
    CUgreenCtx context = ((const cuGreenCtxDestroy_params *)call->params)->hCtx;
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, (uintptr_t)context}, {MT_TAG_CONTEXT, 0}};
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, tags[0].tag, tags[0].value);
        return;
    }
    mt_record_effect(call, MT_EFFECT_CONTEXT_ENDED, MT_BEFORE_CALL, NULL, tags, 2);
    mt_contexts_forget_found(); // it was one, if it ever was current
    for (CUdevice device = 0; device < DEVICES_MAX; device++) {
        if (mt_context_primary(device)) reset_if_inactive(call, device);
    }
    mt_sample(call, 0);
}
