// Launches: the kernel's module comes onto the context, local memory is provided for, and the CPU implementation, where
// there is one, runs at once in the calling thread.
#include "tests/simcuda/driver/config.h"
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/module.h"
#include "tests/simcuda/driver/work.h"
#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>
#include <string.h>

enum { MAX_THREADS = 1024, MAX_SHARED = 227 << 10 };

static bool valid(const struct sim_launch *launch) {
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    for (int i = 0; i < 3; i++)
        if (!launch->grid[i] || launch->block[i] > MAX_THREADS) return false;
    if (launch->grid[0] > INT32_MAX || launch->grid[1] > UINT16_MAX || launch->grid[2] > UINT16_MAX) return false;
    return threads && threads <= MAX_THREADS && launch->shared_bytes <= MAX_SHARED;
}

// Arguments given as one buffer, as pointers into it. False if there are none.
static bool unpack(const struct sim_kernel *kernel, void **extra, void *params[SIM_MAX_PARAMS]) {
    char *buffer = NULL;
    for (int i = 0; extra && extra[i] != CU_LAUNCH_PARAM_END; i += 2)
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[i + 1];
    for (uint32_t i = 0; buffer && i < kernel->info.param_count; i++)
        params[i] = buffer + kernel->info.params[i].offset;
    return buffer;
}

CUresult sim_launch_run(const struct sim_launch *launch) {
    struct sim_kernel *kernel = launch->kernel;
    sim_lock();
    CUresult result = sim_library_load(kernel->library, launch->context, true, NULL);
    if (result == CUDA_SUCCESS) result = sim_context_provide_local(launch->context, kernel->info.local_bytes);
    sim_unlock();
    if (result != CUDA_SUCCESS || !kernel->run || !sim_config()->kernels) return result;
    void *unpacked[SIM_MAX_PARAMS];
    void **params = launch->params;
    if (!params && unpack(kernel, launch->extra, unpacked)) params = unpacked;
    if (params || (kernel->known && !kernel->info.param_count))
        kernel->run(params, launch->grid, launch->block, launch->shared_bytes);
    return CUDA_SUCCESS;
}

static CUresult submit(const void *function, struct sim_launch launch, CUstream stream) {
    sim_lock();
    launch.kernel = sim_kernel_of(function);
    sim_unlock();
    if (!launch.kernel) return CUDA_ERROR_INVALID_HANDLE;
    if (!valid(&launch)) return CUDA_ERROR_INVALID_VALUE;
    if (launch.kernel->info.param_count && !launch.params && !launch.extra) return CUDA_ERROR_INVALID_VALUE;
    launch.context = sim_context_current();
    struct sim_work work = {.type = SIM_WORK_KERNEL, .launch = launch};
    return sim_submit(stream, &work);
}

CUresult sim_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                            unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                            unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra) {
    struct sim_launch launch = {.grid = {gridDimX, gridDimY, gridDimZ},
                                .block = {blockDimX, blockDimY, blockDimZ},
                                .shared_bytes = sharedMemBytes,
                                .params = kernelParams,
                                .extra = extra};
    return submit(f, launch, hStream);
}

CUresult sim_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    return sim_cuLaunchKernel(f, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                              config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream,
                              kernelParams, extra);
}

CUresult sim_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                       unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                       unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                       void **kernelParams) {
    return sim_cuLaunchKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
                              kernelParams, NULL);
}

CUresult sim_cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList, unsigned int numDevices,
                                                  unsigned int flags) {
    (void)launchParamsList;
    (void)numDevices;
    (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED; // as on the real device, since CUDA 13
}

// The launch of CUDA 1: block, shared memory and arguments were set on the function before.
static CUresult launch_grid(CUfunction f, int width, int height, CUstream stream) {
    sim_lock();
    struct sim_kernel *kernel = sim_kernel_of(f);
    sim_unlock();
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    if (width <= 0 || height <= 0) return CUDA_ERROR_INVALID_VALUE;
    size_t bytes = kernel->param_bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, kernel->param_buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return sim_cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, kernel->block[0], kernel->block[1],
                              kernel->block[2], kernel->shared_bytes, stream, NULL, extra);
}

CUresult sim_cuLaunch(CUfunction f) {
    return launch_grid(f, 1, 1, NULL);
}

CUresult sim_cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
    return launch_grid(f, grid_width, grid_height, NULL);
}

CUresult sim_cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
    return launch_grid(f, grid_width, grid_height, hStream);
}

CUresult sim_cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
    sim_lock();
    struct sim_kernel *kernel = sim_kernel_of(hfunc);
    CUresult result = !kernel                      ? CUDA_ERROR_INVALID_HANDLE
                      : x <= 0 || y <= 0 || z <= 0 ? CUDA_ERROR_INVALID_VALUE
                                                   : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        memcpy(kernel->block, (unsigned[]){(unsigned)x, (unsigned)y, (unsigned)z}, sizeof(kernel->block));
    sim_unlock();
    return result;
}

CUresult sim_cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
    sim_lock();
    struct sim_kernel *kernel = sim_kernel_of(hfunc);
    if (kernel) kernel->shared_bytes = bytes;
    sim_unlock();
    return kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
    sim_lock();
    struct sim_kernel *kernel = sim_kernel_of(hfunc);
    bool fits = kernel && numbytes <= sizeof(kernel->param_buffer);
    if (fits) kernel->param_bytes = numbytes;
    sim_unlock();
    return fits ? CUDA_SUCCESS : kernel ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes) {
    sim_lock();
    struct sim_kernel *kernel = sim_kernel_of(hfunc);
    bool fits = kernel && ptr && offset >= 0 && (size_t)offset + numbytes <= sizeof(kernel->param_buffer);
    if (fits) memcpy(kernel->param_buffer + offset, ptr, numbytes);
    sim_unlock();
    return fits ? CUDA_SUCCESS : kernel ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
    return sim_cuParamSetv(hfunc, offset, &value, sizeof(value));
}

CUresult sim_cuParamSetf(CUfunction hfunc, int offset, float value) {
    return sim_cuParamSetv(hfunc, offset, &value, sizeof(value));
}

const char *sim_launch_symbol(uint32_t callback_id, const void *params) {
    switch (callback_id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
        return sim_kernel_name(((const cuLaunchKernel_params *)params)->f);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
        return sim_kernel_name(((const cuLaunchKernelEx_params *)params)->f);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        return sim_kernel_name(((const cuLaunchCooperativeKernel_params *)params)->f);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunch:
        return sim_kernel_name(((const cuLaunch_params *)params)->f);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid:
        return sim_kernel_name(((const cuLaunchGrid_params *)params)->f);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync:
        return sim_kernel_name(((const cuLaunchGridAsync_params *)params)->f);
    default:
        return NULL;
    }
}
