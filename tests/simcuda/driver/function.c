// The entry points that describe kernels and set their options, as CUkernel and as CUfunction.
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/module.h"
#include <string.h>

enum {
    MAX_THREADS = 1024,
    DEFAULT_SHARED = 48 << 10,
    MAX_SHARED = 227 << 10,
    SHARED_PER_MULTIPROCESSOR = 228 << 10,
    THREADS_PER_MULTIPROCESSOR = 2048,
    BLOCKS_PER_MULTIPROCESSOR = 32,
    REGISTERS_PER_MULTIPROCESSOR = 65536,
};

static CUresult attribute_of(const struct sim_kernel *kernel, CUfunction_attribute attribute, int *value) {
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = MAX_THREADS;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)kernel->info.shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)kernel->info.local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = kernel->info.registers ? (int)kernel->info.registers : 32;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 90;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = kernel->max_dynamic_shared ? kernel->max_dynamic_shared : DEFAULT_SHARED;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = -1;
        break;
    default:
        if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
        *value = 0;
    }
    return CUDA_SUCCESS;
}

static CUresult get_attribute(int *value, CUfunction_attribute attribute, const void *handle) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_kernel *kernel = sim_kernel_of(handle);
    CUresult result = kernel ? attribute_of(kernel, attribute, value) : CUDA_ERROR_INVALID_HANDLE;
    sim_unlock();
    return result;
}

static CUresult set_attribute(const void *handle, CUfunction_attribute attribute, int value) {
    sim_lock();
    struct sim_kernel *kernel = sim_kernel_of(handle);
    CUresult result = kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (kernel && attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value < 0 || value + (int)kernel->info.shared_bytes > MAX_SHARED)
            result = CUDA_ERROR_INVALID_VALUE;
        else
            kernel->max_dynamic_shared = value;
    }
    sim_unlock();
    return result;
}

static CUresult check(const void *handle) {
    sim_lock();
    bool found = sim_kernel_of(handle);
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult get_name(const char **name, const void *handle) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = sim_kernel_name(handle);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

const char *sim_kernel_name(const void *handle) {
    sim_lock();
    const struct sim_kernel *kernel = sim_kernel_of(handle);
    sim_unlock();
    return kernel ? kernel->name : NULL;
}

static CUresult get_parameter(const void *handle, size_t index, size_t *offset, size_t *bytes) {
    if (!offset) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_kernel *kernel = sim_kernel_of(handle);
    bool found = kernel && kernel->known && index < kernel->info.param_count;
    if (found) {
        *offset = kernel->info.params[index].offset;
        if (bytes) *bytes = kernel->info.params[index].bytes;
    }
    sim_unlock();
    return found ? CUDA_SUCCESS : kernel ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult get_library(struct sim_library **library, const void *handle) {
    if (!library) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_kernel *kernel = sim_kernel_of(handle);
    if (kernel) *library = kernel->library;
    sim_unlock();
    return kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
    if (!pFunc) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_kernel *found = sim_kernel_of(kernel);
    CUresult result =
        found ? sim_library_load(found->library, sim_context_current(), false, NULL) : CUDA_ERROR_INVALID_HANDLE;
    sim_unlock();
    if (result == CUDA_SUCCESS) *pFunc = (CUfunction)found;
    return result;
}

CUresult sim_cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
    return get_library((struct sim_library **)pLib, kernel);
}

CUresult sim_cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
    (void)dev;
    return get_attribute(pi, attrib, kernel);
}

CUresult sim_cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
    (void)dev;
    return set_attribute(kernel, attrib, val);
}

CUresult sim_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
    (void)config;
    (void)dev;
    return check(kernel);
}

CUresult sim_cuKernelGetName(const char **name, CUkernel hfunc) {
    return get_name(name, hfunc);
}

CUresult sim_cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    return get_parameter(kernel, paramIndex, paramOffset, paramSize);
}

CUresult sim_cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
    return get_attribute(pi, attrib, hfunc);
}

CUresult sim_cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
    return set_attribute(hfunc, attrib, value);
}

CUresult sim_cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
    (void)config;
    return check(hfunc);
}

CUresult sim_cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
    return get_library((struct sim_library **)hmod, hfunc);
}

CUresult sim_cuFuncGetName(const char **name, CUfunction hfunc) {
    return get_name(name, hfunc);
}

CUresult sim_cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    return get_parameter(func, paramIndex, paramOffset, paramSize);
}

CUresult sim_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return check(function);
}

CUresult sim_cuFuncLoad(CUfunction function) {
    CUfunction same;
    return sim_cuKernelGetFunction(&same, (CUkernel)function);
}

static CUresult occupancy(int *blocks, const void *handle, int threads, size_t dynamic_shared) {
    if (!blocks || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_kernel *kernel = sim_kernel_of(handle);
    int registers = kernel && kernel->info.registers ? (int)kernel->info.registers : 32;
    size_t shared = dynamic_shared + (kernel ? kernel->info.shared_bytes : 0);
    sim_unlock();
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    int most = BLOCKS_PER_MULTIPROCESSOR;
    int by_threads = THREADS_PER_MULTIPROCESSOR / threads,
        by_registers = REGISTERS_PER_MULTIPROCESSOR / (registers * threads);
    most = by_threads < most ? by_threads : most;
    most = by_registers < most ? by_registers : most;
    int by_shared = shared ? (int)(SHARED_PER_MULTIPROCESSOR / (shared + 1024)) : most;
    *blocks = threads > MAX_THREADS ? 0 : by_shared < most ? by_shared : most;
    return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                         size_t dynamicSMemSize) {
    return occupancy(numBlocks, func, blockSize, dynamicSMemSize);
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                                  size_t dynamicSMemSize, unsigned int flags) {
    (void)flags;
    return occupancy(numBlocks, func, blockSize, dynamicSMemSize);
}

CUresult sim_cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                       CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                       size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags) {
    (void)flags;
    if (!minGridSize || !blockSize) return CUDA_ERROR_INVALID_VALUE;
    int threads = blockSizeLimit > 0 && blockSizeLimit < MAX_THREADS ? blockSizeLimit : MAX_THREADS, blocks;
    size_t shared = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(threads) : dynamicSMemSize;
    CUresult result = occupancy(&blocks, func, threads, shared);
    *blockSize = threads;
    *minGridSize = result == CUDA_SUCCESS ? blocks * 132 : 0;
    return result;
}

CUresult sim_cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                              CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                              int blockSizeLimit) {
    return sim_cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
                                                         dynamicSMemSize, blockSizeLimit, 0);
}

CUresult sim_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks,
                                                     int blockSize) {
    if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0) return CUDA_ERROR_INVALID_VALUE;
    size_t each = SHARED_PER_MULTIPROCESSOR / (size_t)numBlocks - 1024;
    *dynamicSmemSize = each < MAX_SHARED ? each : MAX_SHARED;
    return check(func);
}
