// Memory shared with other processes and APIs: the driver's, under the runtime's names.
#include "tests/simcuda/runtime/runtime.h"
#include <string.h>

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle), "memory handles are the driver's");
_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle), "event handles are the driver's");
_Static_assert(sizeof(struct cudaMemPoolPtrExportData) == sizeof(CUmemPoolPtrExportData), "and pools' export data");

cudaError_t rt_cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                                  enum cudaMemAllocationHandleType handleType, unsigned int flags) {
    return rt_error(rt_driver()->cuMemPoolExportToShareableHandle(shareableHandle, memPool,
                                                                  (CUmemAllocationHandleType)handleType, flags));
}

cudaError_t rt_cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                    enum cudaMemAllocationHandleType handleType, unsigned int flags) {
    return rt_error(rt_driver()->cuMemPoolImportFromShareableHandle(memPool, shareableHandle,
                                                                    (CUmemAllocationHandleType)handleType, flags));
}

cudaError_t rt_cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr) {
    return rt_error(rt_driver()->cuMemPoolExportPointer((CUmemPoolPtrExportData *)exportData, (CUdeviceptr)ptr));
}

cudaError_t rt_cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                        struct cudaMemPoolPtrExportData *exportData) {
    return rt_error(
        rt_driver()->cuMemPoolImportPointer((CUdeviceptr *)ptr, memPool, (CUmemPoolPtrExportData *)exportData));
}

cudaError_t rt_cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    return rt_error(rt_driver()->cuIpcGetEventHandle((CUipcEventHandle *)handle, event));
}

cudaError_t rt_cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    CUipcEventHandle same;
    memcpy(&same, &handle, sizeof(same));
    return rt_error(rt_driver()->cuIpcOpenEventHandle(event, same));
}

cudaError_t rt_cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr) {
    return rt_error(rt_driver()->cuIpcGetMemHandle((CUipcMemHandle *)handle, (CUdeviceptr)devPtr));
}

cudaError_t rt_cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags) {
    CUipcMemHandle same;
    memcpy(&same, &handle, sizeof(same));
    return rt_error(rt_driver()->cuIpcOpenMemHandle((CUdeviceptr *)devPtr, same, flags));
}

cudaError_t rt_cudaIpcCloseMemHandle(void *devPtr) {
    return rt_error(rt_driver()->cuIpcCloseMemHandle((CUdeviceptr)devPtr));
}

cudaError_t rt_cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
                                        const struct cudaExternalMemoryHandleDesc *memHandleDesc) {
    if (!memHandleDesc) return cudaErrorInvalidValue;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = (CUexternalMemoryHandleType)memHandleDesc->type,
                                             .handle.fd = memHandleDesc->handle.fd,
                                             .size = memHandleDesc->size,
                                             .flags = memHandleDesc->flags};
    return rt_error(rt_driver()->cuImportExternalMemory((CUexternalMemory *)extMem_out, &desc));
}

cudaError_t rt_cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                                 const struct cudaExternalMemoryBufferDesc *bufferDesc) {
    if (!bufferDesc) return cudaErrorInvalidValue;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc = {
        .offset = bufferDesc->offset, .size = bufferDesc->size, .flags = bufferDesc->flags};
    return rt_error(
        rt_driver()->cuExternalMemoryGetMappedBuffer((CUdeviceptr *)devPtr, (CUexternalMemory)extMem, &desc));
}

cudaError_t
rt_cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
                                             const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc) {
    if (!mipmapDesc) return cudaErrorInvalidValue;
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc = {.offset = mipmapDesc->offset,
                                                      .arrayDesc = {.Width = mipmapDesc->extent.width,
                                                                    .Height = mipmapDesc->extent.height,
                                                                    .Depth = mipmapDesc->extent.depth,
                                                                    .Flags = mipmapDesc->flags},
                                                      .numLevels = mipmapDesc->numLevels};
    desc.arrayDesc.Format = rt_array_format(&mipmapDesc->formatDesc, &desc.arrayDesc.NumChannels);
    return rt_error(rt_driver()->cuExternalMemoryGetMappedMipmappedArray((CUmipmappedArray *)mipmap,
                                                                         (CUexternalMemory)extMem, &desc));
}

cudaError_t rt_cudaDestroyExternalMemory(cudaExternalMemory_t extMem) {
    return rt_error(rt_driver()->cuDestroyExternalMemory((CUexternalMemory)extMem));
}
