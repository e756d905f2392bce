/*
 * Sampling device memory, see samples.h.
 */
#include "preload/samples.h"

#include <stdatomic.h>

#include "preload/capture.h"
#include "preload/context_map.h"
#include "preload/driver.h"
#include "preload/record.h"
#include "preload/session.h"

#define DEVICES_MAX 64

// The last sample of each device, in bytes; 0 before the first. Two threads that sample at once may each see the same
// value as the one before: the report takes the samples themselves, in order, and BEFORE as a hint.
static _Atomic(uint64_t) last_used[DEVICES_MAX];

void mt_sample(const struct mt_call *call, uint32_t kernel) {
    size_t unused, total;
    CUdevice device;
    if (!mt_driver.mem_get_info || !mt_driver.ctx_get_device) return;
    if (!mt_session_may_call_cuda() || mt_capture_active()) return;
    if (mt_driver.ctx_get_device(&device) != CUDA_SUCCESS || device < 0 || device >= DEVICES_MAX) return;
    if (mt_driver.mem_get_info(&unused, &total) != CUDA_SUCCESS || unused > total) return;

    uint64_t used = total - unused;
    uint64_t before = atomic_exchange_explicit(&last_used[device], used, memory_order_relaxed);
    struct mt_tagged tags[6] = {
        {MT_TAG_DEVICE, (uint64_t)device},
        {MT_TAG_USED, used},
        {MT_TAG_TOTAL, total},
        {MT_TAG_SAMPLE_SOURCE, MT_SAMPLE_DEVICE},
    };
    size_t count = 4;
    if (before) tags[count++] = (struct mt_tagged){MT_TAG_BEFORE, before};
    if (kernel) tags[count++] = (struct mt_tagged){MT_TAG_KERNEL, kernel};
    mt_record_effect(call, MT_EFFECT_SAMPLED, MT_AFTER_CALL, NULL, tags, count);
}

void mt_sample_context(const struct mt_call *call, CUcontext context) {
    CUcontext popped;
    if (!mt_driver.ctx_push_current || !mt_driver.ctx_pop_current) return;
    if (!mt_session_may_call_cuda() || mt_capture_active()) return;
    if (mt_driver.ctx_push_current(context) != CUDA_SUCCESS) return;
    mt_sample(call, 0);
    mt_driver.ctx_pop_current(&popped);
}
