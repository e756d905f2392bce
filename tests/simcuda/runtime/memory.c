// Allocation: each runtime function is one driver call, the one that the real runtime makes.
#include "tests/simcuda/runtime/runtime.h"
#include <string.h>

cudaError_t rt_cudaMalloc(void **devPtr, size_t size) {
    if (!devPtr) return cudaErrorInvalidValue;
    *devPtr = NULL;
    return size ? rt_error(rt_driver()->cuMemAlloc((CUdeviceptr *)devPtr, size)) : cudaSuccess;
}

cudaError_t rt_cudaFree(void *devPtr) {
    return devPtr ? rt_error(rt_driver()->cuMemFree((CUdeviceptr)devPtr)) : cudaSuccess;
}

cudaError_t rt_cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
    if (!devPtr || !pitch) return cudaErrorInvalidValue;
    *devPtr = NULL;
    if (!width || !height) {
        *pitch = 0;
        return cudaSuccess;
    }
    return rt_error(rt_driver()->cuMemAllocPitch((CUdeviceptr *)devPtr, pitch, width, height, 4));
}

cudaError_t rt_cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent) {
    if (!pitchedDevPtr) return cudaErrorInvalidValue;
    *pitchedDevPtr = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    size_t rows;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return cudaErrorMemoryAllocation;
    return rt_cudaMallocPitch(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
}

cudaError_t rt_cudaMallocManaged(void **devPtr, size_t size, unsigned int flags) {
    return rt_error(rt_driver()->cuMemAllocManaged((CUdeviceptr *)devPtr, size, flags));
}

cudaError_t rt_cudaHostAlloc(void **pHost, size_t size, unsigned int flags) {
    if (!pHost) return cudaErrorInvalidValue;
    *pHost = NULL;
    return size ? rt_error(rt_driver()->cuMemHostAlloc(pHost, size, flags)) : cudaSuccess;
}

cudaError_t rt_cudaMallocHost(void **ptr, size_t size) {
    return rt_cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t rt_cudaFreeHost(void *ptr) {
    return ptr ? rt_error(rt_driver()->cuMemFreeHost(ptr)) : cudaSuccess;
}

cudaError_t rt_cudaHostRegister(void *ptr, size_t size, unsigned int flags) {
    return rt_error(rt_driver()->cuMemHostRegister(ptr, size, flags));
}

cudaError_t rt_cudaHostUnregister(void *ptr) {
    return rt_error(rt_driver()->cuMemHostUnregister(ptr));
}

cudaError_t rt_cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags) {
    return rt_error(rt_driver()->cuMemHostGetDevicePointer((CUdeviceptr *)pDevice, pHost, flags));
}

cudaError_t rt_cudaHostGetFlags(unsigned int *pFlags, void *pHost) {
    return rt_error(rt_driver()->cuMemHostGetFlags(pFlags, pHost));
}

cudaError_t rt_cudaMemGetInfo(size_t *free, size_t *total) {
    return rt_error(rt_driver()->cuMemGetInfo(free, total));
}

cudaError_t rt_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr) {
    if (!attributes) return cudaErrorInvalidValue;
    CUmemorytype type = 0;
    int managed = 0, device = 0;
    void *on_device = NULL, *on_host = NULL;
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                   CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *answers[] = {&type, &managed, &device, &on_device, &on_host};
    CUresult result = rt_driver()->cuPointerGetAttributes(5, asked, answers, (CUdeviceptr)ptr);
    memset(attributes, 0, sizeof(*attributes));
    attributes->type = managed                      ? cudaMemoryTypeManaged
                       : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                       : type                       ? cudaMemoryTypeDevice
                                                    : cudaMemoryTypeUnregistered;
    attributes->device = device;
    attributes->devicePointer = on_device;
    attributes->hostPointer = type ? on_host : (void *)ptr;
    return rt_error(result);
}

cudaError_t rt_cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream) {
    CUmemLocation to = {.type = (CUmemLocationType)location.type, .id = location.id};
    return rt_error(rt_driver()->cuMemPrefetchAsync((CUdeviceptr)devPtr, count, to, flags, stream));
}

cudaError_t rt_cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location) {
    CUmemLocation to = {.type = (CUmemLocationType)location.type, .id = location.id};
    return rt_error(rt_driver()->cuMemAdvise((CUdeviceptr)devPtr, count, (CUmem_advise)advice, to));
}

cudaError_t rt_cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute,
                                        const void *devPtr, size_t count) {
    return rt_error(rt_driver()->cuMemRangeGetAttribute(data, dataSize, (CUmem_range_attribute)attribute,
                                                        (CUdeviceptr)devPtr, count));
}

cudaError_t rt_cudaMemRangeGetAttributes(void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes,
                                         size_t numAttributes, const void *devPtr, size_t count) {
    return rt_error(rt_driver()->cuMemRangeGetAttributes(data, dataSizes, (CUmem_range_attribute *)attributes,
                                                         numAttributes, (CUdeviceptr)devPtr, count));
}
