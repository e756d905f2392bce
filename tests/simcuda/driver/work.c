// Running, keeping and routing work.
#include "tests/simcuda/driver/work.h"
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/event.h"
#include "tests/simcuda/driver/module.h"
#include "tests/simcuda/driver/stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

CUresult sim_submit(CUstream stream, const struct sim_work *work) {
    if (work->type == SIM_WORK_COPY) {
        CUresult result = sim_copy_check(&work->copy);
        if (result != CUDA_SUCCESS) return result;
    }
    sim_lock();
    CUresult result = sim_stream_device(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    bool captured = result == CUDA_SUCCESS && sim_capturing(stream);
    if (captured)
        result = sim_capture_work(stream, work);
    else if (result == CUDA_SUCCESS)
        result = sim_capture_forbids_default_stream(stream);
    sim_unlock();
    return captured || result != CUDA_SUCCESS ? result : sim_work_run(work);
}

CUresult sim_work_run(const struct sim_work *work) {
    switch (work->type) {
    case SIM_WORK_KERNEL:
        return sim_launch_run(&work->launch);
    case SIM_WORK_COPY:
        sim_copy_run(&work->copy);
        return CUDA_SUCCESS;
    case SIM_WORK_FILL:
        sim_fill_run(&work->fill);
        return CUDA_SUCCESS;
    case SIM_WORK_HOST:
        work->host.function(work->host.data);
        return CUDA_SUCCESS;
    case SIM_WORK_RECORD:
        sim_event_stamp(work->event);
        return CUDA_SUCCESS;
    default:
        return CUDA_SUCCESS; // what is about order alone; memory and child graphs are the graph's
    }
}

// One block: the pointers, then the arguments they point at.
static int copy_params(struct sim_launch *launch) {
    const struct sim_cubin_kernel *info = &launch->kernel->info;
    size_t bytes = info->param_count * sizeof(void *);
    for (uint32_t i = 0; i < info->param_count; i++) bytes += (info->params[i].bytes + 15u) & ~15u;
    char *buffer = NULL;
    for (int i = 0; launch->extra && launch->extra[i] != CU_LAUNCH_PARAM_END; i += 2)
        if (launch->extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = launch->extra[i + 1];
    void **params = malloc(bytes ? bytes : 1);
    if (!params) return -ENOMEM;
    char *at = (char *)(params + info->param_count);
    for (uint32_t i = 0; i < info->param_count; i++) {
        const void *from = launch->params ? launch->params[i] : buffer + info->params[i].offset;
        params[i] = memcpy(at, from, info->params[i].bytes);
        at += (info->params[i].bytes + 15u) & ~15u;
    }
    launch->params = params;
    launch->extra = NULL;
    return 0;
}

int sim_work_copy(struct sim_work *copy, const struct sim_work *work) {
    *copy = *work;
    if (work->type != SIM_WORK_KERNEL) return 0;
    if (work->launch.kernel->known) return copy_params(&copy->launch);
    copy->launch.params = NULL; // how many there are isn't known, so they can't be kept
    copy->launch.extra = NULL;
    return 0;
}

void sim_work_clear(struct sim_work *work) {
    if (work->type == SIM_WORK_KERNEL) free(work->launch.params);
    work->type = SIM_WORK_EMPTY;
}
