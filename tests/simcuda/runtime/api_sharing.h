// The runtime functions that share memory with other processes and APIs, one row each; api.h says what the columns
// mean. No include guard: each user defines the SIM_RUNTIME macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Sharing
SIM_RUNTIME(INIT, cudaMemPoolExportToShareableHandle, 11020,
            (void *shareableHandle, cudaMemPool_t memPool, enum cudaMemAllocationHandleType handleType,
             unsigned int flags),
            (shareableHandle, memPool, handleType, flags))
SIM_RUNTIME(INIT, cudaMemPoolImportFromShareableHandle, 11020,
            (cudaMemPool_t *memPool, void *shareableHandle, enum cudaMemAllocationHandleType handleType,
             unsigned int flags),
            (memPool, shareableHandle, handleType, flags))
SIM_RUNTIME(INIT, cudaMemPoolExportPointer, 11020, (struct cudaMemPoolPtrExportData *exportData, void *ptr),
            (exportData, ptr))
SIM_RUNTIME(INIT, cudaMemPoolImportPointer, 11020,
            (void **ptr, cudaMemPool_t memPool, struct cudaMemPoolPtrExportData *exportData),
            (ptr, memPool, exportData))
SIM_RUNTIME(CONTEXT, cudaIpcGetEventHandle, 4010, (cudaIpcEventHandle_t *handle, cudaEvent_t event), (handle, event))
SIM_RUNTIME(CONTEXT, cudaIpcOpenEventHandle, 4010, (cudaEvent_t *event, cudaIpcEventHandle_t handle), (event, handle))
SIM_RUNTIME(CONTEXT, cudaIpcGetMemHandle, 4010, (cudaIpcMemHandle_t *handle, void *devPtr), (handle, devPtr))
SIM_RUNTIME(CONTEXT, cudaIpcOpenMemHandle, 4010, (void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags),
            (devPtr, handle, flags))
SIM_RUNTIME(CONTEXT, cudaIpcCloseMemHandle, 4010, (void *devPtr), (devPtr))
SIM_RUNTIME(CONTEXT, cudaImportExternalMemory, 10000,
            (cudaExternalMemory_t *extMem_out, const struct cudaExternalMemoryHandleDesc *memHandleDesc),
            (extMem_out, memHandleDesc))
SIM_RUNTIME(CONTEXT, cudaExternalMemoryGetMappedBuffer, 10000,
            (void **devPtr, cudaExternalMemory_t extMem, const struct cudaExternalMemoryBufferDesc *bufferDesc),
            (devPtr, extMem, bufferDesc))
SIM_RUNTIME(CONTEXT, cudaExternalMemoryGetMappedMipmappedArray, 10000,
            (cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
             const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc),
            (mipmap, extMem, mipmapDesc))
SIM_RUNTIME(CONTEXT, cudaDestroyExternalMemory, 10000, (cudaExternalMemory_t extMem), (extMem))
