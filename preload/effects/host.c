/*
 * Effects of the calls that pin, register and release host memory. Called by the feeds through entry_points.h.
 */
#include <cupti.h>

#include "preload/effects/effects.h"
#include "preload/record.h"

static void pinned(const struct mt_call *call, void *const *address, uint64_t bytes) {
    if (call->result != CUDA_SUCCESS || !address) {
        mt_record_failed(call, NULL, MT_TAG_BYTES, bytes);
        return;
    }
    mt_record_alloc(call, NULL, (uintptr_t)*address, bytes);
}

void mt_effect_mem_alloc_host(const struct mt_call *call) {
    const cuMemAllocHost_v2_params *p = call->params;
    pinned(call, p->pp, p->bytesize);
}

void mt_effect_mem_alloc_host_v1(const struct mt_call *call) {
    const cuMemAllocHost_params *p = call->params;
    pinned(call, p->pp, p->bytesize);
}

void mt_effect_mem_host_alloc(const struct mt_call *call) {
    const cuMemHostAlloc_params *p = call->params;
    pinned(call, p->pp, p->bytesize);
}

// The memory is the program's; only its pinning begins.
void mt_effect_mem_host_register(const struct mt_call *call) {
    const cuMemHostRegister_v2_params *p = call->params;
    void *const address = p->p;
    if (call->result == CUDA_SUCCESS) {
        pinned(call, &address, p->bytesize);
        return;
    }
    const struct mt_tagged tags[] = {
        {MT_TAG_RESULT, call->result}, {MT_TAG_BYTES, p->bytesize}, {MT_TAG_ADDRESS, (uintptr_t)p->p}};
    mt_record_effect(call, MT_EFFECT_FAILED, MT_AFTER_CALL, NULL, tags, 3);
}

static void released(const struct mt_call *call, const void *address) {
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_ADDRESS, (uintptr_t)address);
    } else if (address) {
        mt_record_free(call, NULL, (uintptr_t)address);
    }
}

void mt_effect_mem_free_host(const struct mt_call *call) {
    released(call, ((const cuMemFreeHost_params *)call->params)->p);
}

void mt_effect_mem_host_unregister(const struct mt_call *call) {
    released(call, ((const cuMemHostUnregister_params *)call->params)->p);
}
