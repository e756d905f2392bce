/*
 * Effects of loading code and of the other calls that take device memory on the side: each is followed by a sample,
 * which is how such memory is found. Lookups by name tell the hook feed what its kernels are called. Called by the
 * feeds through entry_points.h.
 */
#include <cupti.h>

#include "preload/effects/effects.h"
#include "preload/effects/kernels.h"
#include "preload/effects/samples.h"
#include "preload/record.h"

// `handle` points at the handle that the call made.
static void loaded(const struct mt_call *call, const void *handle) {
    if (call->result != CUDA_SUCCESS || !handle) {
        mt_record_failed(call, NULL, MT_TAG_OBJECT, 0);
        return;
    }
    const struct mt_tagged tag = {MT_TAG_OBJECT, (uintptr_t) * (void *const *)handle};
    mt_record_effect(call, MT_EFFECT_LOADED, MT_AFTER_CALL, NULL, &tag, 1);
    mt_sample(call, 0);
}

static void unloaded(const struct mt_call *call, const void *handle) {
    const struct mt_tagged tag = {MT_TAG_OBJECT, (uintptr_t)handle};
    // The runtime's own exit handler unloads its code after the driver has gone: nobody's mistake.
    if (call->result == CUDA_ERROR_DEINITIALIZED) return;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, tag.tag, tag.value);
        return;
    }
    mt_kernels_forget();
    mt_record_effect(call, MT_EFFECT_UNLOADED, MT_BEFORE_CALL, NULL, &tag, 1);
    mt_sample(call, 0);
}

// All four ways to load a module return it first.
void mt_effect_module_load(const struct mt_call *call) {
    loaded(call, ((const cuModuleLoad_params *)call->params)->module);
}

void mt_effect_module_unload(const struct mt_call *call) {
    unloaded(call, ((const cuModuleUnload_params *)call->params)->hmod);
}

void mt_effect_library_load(const struct mt_call *call) {
    loaded(call, ((const cuLibraryLoadFromFile_params *)call->params)->library);
}

void mt_effect_library_unload(const struct mt_call *call) {
    unloaded(call, ((const cuLibraryUnload_params *)call->params)->library);
}

void mt_effect_module_get_function(const struct mt_call *call) {
    const cuModuleGetFunction_params *p = call->params;
    if (call->result == CUDA_SUCCESS && p->hfunc) mt_kernel_named(*p->hfunc, p->name);
}

void mt_effect_library_get_kernel(const struct mt_call *call) {
    const cuLibraryGetKernel_params *p = call->params;
    if (call->result == CUDA_SUCCESS && p->pKernel) mt_kernel_named(*p->pKernel, p->name);
}

// A kernel's code is loaded at the first lookup; frameworks repeat it at every launch.
void mt_effect_kernel_get_function(const struct mt_call *call) {
    const cuKernelGetFunction_params *p = call->params;
    if (call->result == CUDA_SUCCESS && mt_kernel_first_lookup(call, p->kernel)) mt_sample(call, 0);
}

void mt_effect_sampled(const struct mt_call *call) {
    if (call->result == CUDA_SUCCESS) mt_sample(call, 0);
}

void mt_effect_set_limit(const struct mt_call *call) {
    const cuCtxSetLimit_params *p = call->params;
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_VALUE, p->value);
        return;
    }
    mt_sample(call, 0);
}
