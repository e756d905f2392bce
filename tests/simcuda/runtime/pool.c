// Memory pools and allocation in stream order: the driver's, under the runtime's names. The structures are the same.
#include "tests/simcuda/runtime/runtime.h"

_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "pool properties are the driver's");
_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "access descriptors are the driver's");

// As the real runtime does on a thread without a context: it asks the driver, is refused, and makes the context.
static __attribute__((noinline)) cudaError_t ask_without_context(size_t size, cudaStream_t stream) {
    CUcontext context = NULL;
    CUdeviceptr refused;
    rt_driver()->cuCtxGetCurrent(&context);
    if (!context && size) rt_driver()->cuMemAllocAsync(&refused, size, stream);
    return rt_prepare(CONTEXT);
}

cudaError_t rt_cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
    if (!devPtr) return cudaErrorInvalidValue;
    *devPtr = NULL;
    cudaError_t error = ask_without_context(size, hStream);
    if (error != cudaSuccess) return error;
    return size ? rt_error(rt_driver()->cuMemAllocAsync((CUdeviceptr *)devPtr, size, hStream)) : cudaSuccess;
}

cudaError_t rt_cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
    if (!ptr) return cudaErrorInvalidValue;
    *ptr = NULL;
    return size ? rt_error(rt_driver()->cuMemAllocFromPoolAsync((CUdeviceptr *)ptr, size, memPool, stream))
                : cudaSuccess;
}

cudaError_t rt_cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
    return devPtr ? rt_error(rt_driver()->cuMemFreeAsync((CUdeviceptr)devPtr, hStream)) : cudaSuccess;
}

cudaError_t rt_cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps) {
    return rt_error(rt_driver()->cuMemPoolCreate(memPool, (const CUmemPoolProps *)poolProps));
}

cudaError_t rt_cudaMemPoolDestroy(cudaMemPool_t memPool) {
    return rt_error(rt_driver()->cuMemPoolDestroy(memPool));
}

cudaError_t rt_cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
    return rt_error(rt_driver()->cuMemPoolTrimTo(memPool, minBytesToKeep));
}

cudaError_t rt_cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    return rt_error(rt_driver()->cuMemPoolSetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t rt_cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
    return rt_error(rt_driver()->cuMemPoolGetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t rt_cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count) {
    return rt_error(rt_driver()->cuMemPoolSetAccess(memPool, (const CUmemAccessDesc *)descList, count));
}

cudaError_t rt_cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                    struct cudaMemLocation *location) {
    return rt_error(rt_driver()->cuMemPoolGetAccess((CUmemAccess_flags *)flags, memPool, (CUmemLocation *)location));
}

cudaError_t rt_cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                        enum cudaMemAllocationType type) {
    return rt_error(rt_driver()->cuMemGetDefaultMemPool(memPool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t rt_cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                 enum cudaMemAllocationType type) {
    return rt_error(rt_driver()->cuMemGetMemPool(memPool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t rt_cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                                 cudaMemPool_t memPool) {
    return rt_error(rt_driver()->cuMemSetMemPool((CUmemLocation *)location, (CUmemAllocationType)type, memPool));
}

cudaError_t rt_cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device) {
    return rt_error(rt_driver()->cuDeviceGetDefaultMemPool(memPool, device));
}

cudaError_t rt_cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device) {
    return rt_error(rt_driver()->cuDeviceGetMemPool(memPool, device));
}

cudaError_t rt_cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
    return rt_error(rt_driver()->cuDeviceSetMemPool(device, memPool));
}
