// Launches, and questions about kernels.
#include "tests/simcuda/runtime/nvcc_abi.h"
#include "tests/simcuda/runtime/runtime.h"
#include <string.h>

enum { MAX_NESTING = 16 };

// Launch configurations between <<<…>>> and the stub that it calls.
struct configuration {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
};

static _Thread_local struct configuration configurations[MAX_NESTING];
static _Thread_local int nesting;

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, void *stream) {
    if (nesting == MAX_NESTING) return 1;
    configurations[nesting++] = (struct configuration){gridDim, blockDim, sharedMem, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream) {
    if (!nesting) return rt_remember(cudaErrorMissingConfiguration);
    const struct configuration *configuration = &configurations[--nesting];
    *gridDim = configuration->grid;
    *blockDim = configuration->block;
    *sharedMem = configuration->shared_bytes;
    memcpy(stream, &configuration->stream, sizeof(configuration->stream));
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    cudaError_t error = rt_prepare(CONTEXT);
    return rt_remember(error == cudaSuccess ? rt_kernel(function, (CUkernel *)kernel) : error);
}

// A launch by the stub's handle is reported, as on the real runtime, as the launch of a function.
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                    cudaStream_t stream) {
    return cudaLaunchKernel_ptsz(kernel, gridDim, blockDim, args, sharedMem, stream);
}

// The kernel for a stub function, or for what already is a kernel's handle.
static cudaError_t function_of(const void *function, CUfunction *result) {
    CUkernel kernel;
    cudaError_t error = rt_kernel(function, &kernel);
    if (error == cudaErrorInvalidDeviceFunction && function && rt_bridge()->kernel_name(function)) {
        kernel = (CUkernel)function;
        error = cudaSuccess;
    }
    if (error == cudaSuccess) *result = (CUfunction)kernel;
    return error;
}

// The runtime's words for what the driver calls an invalid value.
static cudaError_t launch_error(CUresult result) {
    return result == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration : rt_error(result);
}

cudaError_t rt_cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                cudaStream_t stream) {
    CUfunction function;
    cudaError_t error = function_of(func, &function);
    if (error != cudaSuccess) return error;
    return launch_error(rt_driver()->cuLaunchKernel(function, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y,
                                                    blockDim.z, (unsigned)sharedMem, stream, args, NULL));
}

cudaError_t rt_cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                           cudaStream_t stream) {
    CUfunction function;
    cudaError_t error = function_of(func, &function);
    if (error != cudaSuccess) return error;
    return launch_error(rt_driver()->cuLaunchCooperativeKernel(function, gridDim.x, gridDim.y, gridDim.z, blockDim.x,
                                                               blockDim.y, blockDim.z, (unsigned)sharedMem, stream,
                                                               args));
}

cudaError_t rt_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
    CUfunction function;
    if (!config) return cudaErrorInvalidValue;
    cudaError_t error = function_of(func, &function);
    if (error != cudaSuccess) return error;
    CUlaunchConfig launch = {.gridDimX = config->gridDim.x,
                             .gridDimY = config->gridDim.y,
                             .gridDimZ = config->gridDim.z,
                             .blockDimX = config->blockDim.x,
                             .blockDimY = config->blockDim.y,
                             .blockDimZ = config->blockDim.z,
                             .sharedMemBytes = (unsigned)config->dynamicSmemBytes,
                             .hStream = config->stream,
                             .attrs = (CUlaunchAttribute *)config->attrs,
                             .numAttrs = config->numAttrs};
    return launch_error(rt_driver()->cuLaunchKernelEx(&launch, function, args, NULL));
}

cudaError_t rt_cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr) {
    CUfunction function;
    cudaError_t error = functionPtr ? function_of(symbolPtr, &function) : cudaErrorInvalidValue;
    return error == cudaSuccess ? rt_error(rt_driver()->cuKernelGetFunction(functionPtr, (CUkernel)function)) : error;
}

cudaError_t rt_cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
    return kernelPtr ? rt_kernel(entryFuncAddr, (CUkernel *)kernelPtr) : cudaErrorInvalidValue;
}

cudaError_t rt_cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig) {
    CUfunction function;
    cudaError_t error = function_of(func, &function);
    return error == cudaSuccess ? rt_error(rt_driver()->cuFuncSetCacheConfig(function, (CUfunc_cache)cacheConfig))
                                : error;
}

cudaError_t rt_cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
    CUfunction function;
    cudaError_t error = attr ? function_of(func, &function) : cudaErrorInvalidValue;
    if (error != cudaSuccess) return error;
    int values[CU_FUNC_ATTRIBUTE_MAX] = {0};
    for (int i = 0; i <= CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT; i++)
        rt_driver()->cuFuncGetAttribute(&values[i], (CUfunction_attribute)i, function);
    *attr = (struct cudaFuncAttributes){
        .sharedSizeBytes = (size_t)values[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES],
        .constSizeBytes = (size_t)values[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES],
        .localSizeBytes = (size_t)values[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES],
        .maxThreadsPerBlock = values[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK],
        .numRegs = values[CU_FUNC_ATTRIBUTE_NUM_REGS],
        .ptxVersion = values[CU_FUNC_ATTRIBUTE_PTX_VERSION],
        .binaryVersion = values[CU_FUNC_ATTRIBUTE_BINARY_VERSION],
        .cacheModeCA = values[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA],
        .maxDynamicSharedSizeBytes = values[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES],
        .preferredShmemCarveout = values[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT]};
    return cudaSuccess;
}

cudaError_t rt_cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
    CUfunction function;
    cudaError_t error = function_of(func, &function);
    return error == cudaSuccess ? rt_error(rt_driver()->cuFuncSetAttribute(function, (CUfunction_attribute)attr, value))
                                : error;
}

cudaError_t rt_cudaFuncGetName(const char **name, const void *func) {
    CUfunction function;
    cudaError_t error = function_of(func, &function);
    return error == cudaSuccess ? rt_error(rt_driver()->cuFuncGetName(name, function)) : error;
}

cudaError_t rt_cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    CUfunction function;
    cudaError_t error = function_of(func, &function);
    return error == cudaSuccess
               ? rt_error(rt_driver()->cuFuncGetParamInfo(function, paramIndex, paramOffset, paramSize))
               : error;
}

cudaError_t rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
                                                                      size_t dynamicSMemSize, unsigned int flags) {
    CUfunction function;
    cudaError_t error = function_of(func, &function);
    return error == cudaSuccess ? rt_error(rt_driver()->cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                                      numBlocks, function, blockSize, dynamicSMemSize, flags))
                                : error;
}

cudaError_t rt_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                             size_t dynamicSMemSize) {
    return rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

cudaError_t rt_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func, int numBlocks,
                                                         int blockSize) {
    CUfunction function;
    cudaError_t error = function_of(func, &function);
    return error == cudaSuccess ? rt_error(rt_driver()->cuOccupancyAvailableDynamicSMemPerBlock(
                                      dynamicSmemSize, function, numBlocks, blockSize))
                                : error;
}
