/*
 * Sampling device memory, see effects/samples.h.
 */
#include "preload/effects/samples.h"

#include <stdatomic.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/effects/nvml.h"
#include "preload/guard.h"
#include "preload/record.h"
#include "tracer/guard.h"

#define DEVICES_MAX 64

// The last sample of each device, in bytes; 0 before the first. Two threads that sample at once may each see the same
// value as the one before: the report takes the samples themselves, in order, and BEFORE as a hint.
static _Atomic(uint64_t) last_used[DEVICES_MAX];

// own NULL: of this process alone nothing is known.
static void write_sample(const struct mt_call *call, CUdevice device, uint64_t used, const uint64_t *own,
                         uint64_t total, uint32_t kernel) {
    uint64_t before = atomic_exchange_explicit(&last_used[device], used, memory_order_relaxed);
    struct mt_tagged tags[7] = {
        {MT_TAG_DEVICE, (uint64_t)device},
        {MT_TAG_USED, own ? *own : used},
        {MT_TAG_TOTAL, total},
        {MT_TAG_SAMPLE_SOURCE, own ? MT_SAMPLE_PROCESS : MT_SAMPLE_DEVICE},
    };
    size_t count = 4;
    if (own) tags[count++] = (struct mt_tagged){MT_TAG_VALUE, used};
    if (before) tags[count++] = (struct mt_tagged){MT_TAG_BEFORE, before};
    if (kernel) tags[count++] = (struct mt_tagged){MT_TAG_KERNEL, kernel};
    if (call) {
        mt_record_effect(call, MT_EFFECT_SAMPLED, MT_AFTER_CALL, NULL, tags, count);
    } else {
        const struct mt_event event = {.time_ns = mt_now_ns()};
        mt_write_event(mt_thread.lane, MT_EFFECT_SAMPLED, &event, tags, count);
    }
}

static bool ask(CUdevice *device, size_t *unused, size_t *total) {
    CUstreamCaptureMode mode;
    if (!mt_driver.mem_get_info || !mt_driver.ctx_get_device || !mt_ask_begin(&mode)) return false;
    bool known = mt_driver.ctx_get_device(device) == CUDA_SUCCESS && *device >= 0 && *device < DEVICES_MAX &&
                 mt_driver.mem_get_info(unused, total) == CUDA_SUCCESS && *unused <= *total;
    mt_ask_end(mode);
    return known;
}

// call NULL: of no call.
static void sample(const struct mt_call *call, uint32_t kernel) {
    size_t unused, total;
    CUdevice device;
    uint64_t own;
    if (!ask(&device, &unused, &total)) return;
    bool told = call && mt_nvml_own(device, total - unused, &own);
    write_sample(call, device, total - unused, told ? &own : NULL, total, kernel);
}

// The program's stack of contexts is left as it was: one that is current already, as after cuCtxCreate, is not pushed
// (the first form of cuCtxCreate makes contexts that today's push and pop may refuse), and only what was pushed is
// popped. No signal handler can jump out in between.
static void sample_in(const struct mt_call *call, CUcontext context) {
    CUcontext popped;
    struct mt_guard guard;
    if (!mt_driver.ctx_push_current || !mt_driver.ctx_pop_current) return;
    if (!mt_may_ask()) return;
    mt_guard_enter(&guard);
    if (mt_context_is_current(context)) {
        sample(call, 0);
    } else if (mt_driver.ctx_push_current(context) == CUDA_SUCCESS) {
        sample(call, 0);
        if (mt_context_is_current(context)) mt_driver.ctx_pop_current(&popped);
    }
    mt_guard_leave(&guard);
}

void mt_sample(const struct mt_call *call, uint32_t kernel) {
    sample(call, kernel);
}

void mt_sample_context(const struct mt_call *call, CUcontext context) {
    sample_in(call, context);
}

void mt_samples_end(void) {
    CUdevice current = -1;
    if (mt_driver.ctx_get_device && mt_may_ask()) mt_driver.ctx_get_device(&current);
    for (CUdevice device = 0; device < DEVICES_MAX; device++) {
        if (!atomic_load_explicit(&last_used[device], memory_order_relaxed)) continue;
        CUcontext context = mt_context_on(device);
        if (device == current) {
            sample(NULL, 0);
        } else if (context) {
            sample_in(NULL, context);
        }
    }
}
