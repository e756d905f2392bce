/*
 * Effects of the launches: who ran, how large, on which stream; and a memory sample at each kernel's first launch,
 * which loads its code and may grow the device's local memory. Called by the feeds through entry_points.h, at every
 * launch: in steady state this is two hash probes and an append.
 */
#include <cupti.h>

#include "preload/effects/capture.h"
#include "preload/effects/effects.h"
#include "preload/effects/kernels.h"
#include "preload/effects/samples.h"
#include "preload/guard.h"
#include "preload/record.h"
#include "preload/session.h"

static void launched(const struct mt_call *call, CUfunction function, CUstream stream, struct mt_launch_shape shape) {
    bool first;
    shape.kernel = mt_kernel_id(call, function, &first);
    uint32_t launch = mt_define_launch(mt_session_trace(), &shape);
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, stream, MT_TAG_LAUNCH, launch);
    } else if (mt_capture_includes(stream, call->per_thread_stream)) {
        const struct mt_tagged tag = {MT_TAG_LAUNCH, launch};
        mt_record_effect(call, MT_EFFECT_CAPTURED, MT_AFTER_CALL, stream, &tag, 1);
    } else {
        mt_record_launch(call, stream, launch);
    }
    if (first) mt_sample(call, shape.kernel);
}

void mt_effect_launch_kernel(const struct mt_call *call) {
    const cuLaunchKernel_params *p = call->params;
    struct mt_launch_shape shape = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                    .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                    .shared_bytes = p->sharedMemBytes};
    launched(call, p->f, p->hStream, shape);
}

void mt_effect_launch_cooperative(const struct mt_call *call) {
    const cuLaunchCooperativeKernel_params *p = call->params;
    struct mt_launch_shape shape = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                    .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                    .shared_bytes = p->sharedMemBytes};
    launched(call, p->f, p->hStream, shape);
}

void mt_effect_launch_kernel_ex(const struct mt_call *call) {
    const cuLaunchKernelEx_params *p = call->params;
    const CUlaunchConfig *c = p->config;
    if (!c) {
        mt_record_failed(call, NULL, MT_TAG_LAUNCH, 0);
        return;
    }
    struct mt_launch_shape shape = {.grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                    .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                    .shared_bytes = c->sharedMemBytes};
    launched(call, p->f, c->hStream, shape);
}

void mt_effect_launch_multi_device(const struct mt_call *call) {
    const cuLaunchCooperativeKernelMultiDevice_params *p = call->params;
    // What was refused may be a list that is shorter than it says.
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, MT_TAG_LAUNCH, 0);
        return;
    }
    for (unsigned i = 0; p->launchParamsList && i < p->numDevices; i++) {
        const CUDA_LAUNCH_PARAMS *l = &p->launchParamsList[i];
        struct mt_launch_shape shape = {.grid = {l->gridDimX, l->gridDimY, l->gridDimZ},
                                        .block = {l->blockDimX, l->blockDimY, l->blockDimZ},
                                        .shared_bytes = l->sharedMemBytes};
        launched(call, l->function, l->hStream, shape);
    }
}

// The oldest forms: the block's shape was set before, by a call that has no other effect.
void mt_effect_launch(const struct mt_call *call) {
    const cuLaunch_params *p = call->params;
    launched(call, p->f, NULL, (struct mt_launch_shape){.grid = {1, 1, 1}});
}

void mt_effect_launch_grid(const struct mt_call *call) {
    const cuLaunchGrid_params *p = call->params;
    struct mt_launch_shape shape = {.grid = {(uint32_t)p->grid_width, (uint32_t)p->grid_height, 1}};
    launched(call, p->f, NULL, shape);
}

void mt_effect_launch_grid_async(const struct mt_call *call) {
    const cuLaunchGridAsync_params *p = call->params;
    struct mt_launch_shape shape = {.grid = {(uint32_t)p->grid_width, (uint32_t)p->grid_height, 1}};
    launched(call, p->f, p->hStream, shape);
}
