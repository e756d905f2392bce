// The driver entry points that map physical memory or share it, one row each; api.h says what the columns mean.
// No include guard: each user defines the SIM_API macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Virtual memory management
SIM_API(INIT, 10020, cuMemAddressReserve,
        (CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags),
        (ptr, size, alignment, addr, flags))
SIM_API(INIT, 10020, cuMemAddressFree, (CUdeviceptr ptr, size_t size), (ptr, size))
SIM_API(INIT, 10020, cuMemCreate,
        (CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags),
        (handle, size, prop, flags))
SIM_API(INIT, 10020, cuMemRelease, (CUmemGenericAllocationHandle handle), (handle))
SIM_API(INIT, 10020, cuMemMap,
        (CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags),
        (ptr, size, offset, handle, flags))
SIM_API_STREAM(CONTEXT, 11010, cuMemMapArrayAsync, (CUarrayMapInfo *mapInfoList, unsigned int count, CUstream hStream),
               (mapInfoList, count, hStream), hStream)
SIM_API(INIT, 10020, cuMemUnmap, (CUdeviceptr ptr, size_t size), (ptr, size))
SIM_API(INIT, 10020, cuMemSetAccess, (CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count),
        (ptr, size, desc, count))
SIM_API(INIT, 10020, cuMemGetAccess, (unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr),
        (flags, location, ptr))
SIM_API(INIT, 10020, cuMemExportToShareableHandle,
        (void *shareableHandle, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType handleType,
         unsigned long long flags),
        (shareableHandle, handle, handleType, flags))
SIM_API(INIT, 10020, cuMemImportFromShareableHandle,
        (CUmemGenericAllocationHandle *handle, void *osHandle, CUmemAllocationHandleType shHandleType),
        (handle, osHandle, shHandleType))
SIM_API(INIT, 10020, cuMemGetAllocationGranularity,
        (size_t *granularity, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option),
        (granularity, prop, option))
SIM_API(INIT, 10020, cuMemGetAllocationPropertiesFromHandle,
        (CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle), (prop, handle))
SIM_API(INIT, 11000, cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle *handle, void *addr), (handle, addr))
SIM_API(INIT, 11070, cuMemGetHandleForAddressRange,
        (void *handle, CUdeviceptr dptr, size_t size, CUmemRangeHandleType handleType, unsigned long long flags),
        (handle, dptr, size, handleType, flags))
SIM_API(INIT, 12010, cuMulticastCreate, (CUmemGenericAllocationHandle *mcHandle, const CUmulticastObjectProp *prop),
        (mcHandle, prop))
SIM_API(INIT, 12010, cuMulticastAddDevice, (CUmemGenericAllocationHandle mcHandle, CUdevice dev), (mcHandle, dev))
SIM_API(INIT, 12010, cuMulticastBindMem,
        (CUmemGenericAllocationHandle mcHandle, size_t mcOffset, CUmemGenericAllocationHandle memHandle,
         size_t memOffset, size_t size, unsigned long long flags),
        (mcHandle, mcOffset, memHandle, memOffset, size, flags))
SIM_API(INIT, 12010, cuMulticastBindAddr,
        (CUmemGenericAllocationHandle mcHandle, size_t mcOffset, CUdeviceptr memptr, size_t size,
         unsigned long long flags),
        (mcHandle, mcOffset, memptr, size, flags))
SIM_API(INIT, 12010, cuMulticastUnbind,
        (CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset, size_t size),
        (mcHandle, dev, mcOffset, size))
SIM_API(INIT, 12010, cuMulticastGetGranularity,
        (size_t *granularity, const CUmulticastObjectProp *prop, CUmulticastGranularity_flags option),
        (granularity, prop, option))

// Sharing with other processes and APIs
SIM_API(INIT, 11020, cuMemPoolExportToShareableHandle,
        (void *handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType, unsigned long long flags),
        (handle_out, pool, handleType, flags))
SIM_API(INIT, 11020, cuMemPoolImportFromShareableHandle,
        (CUmemoryPool *pool_out, void *handle, CUmemAllocationHandleType handleType, unsigned long long flags),
        (pool_out, handle, handleType, flags))
SIM_API(INIT, 11020, cuMemPoolExportPointer, (CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr),
        (shareData_out, ptr))
SIM_API(INIT, 11020, cuMemPoolImportPointer,
        (CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData), (ptr_out, pool, shareData))
SIM_API(CONTEXT, 4010, cuIpcGetEventHandle, (CUipcEventHandle *pHandle, CUevent event), (pHandle, event))
SIM_API(CONTEXT, 4010, cuIpcOpenEventHandle, (CUevent *phEvent, CUipcEventHandle handle), (phEvent, handle))
SIM_API(CONTEXT, 4010, cuIpcGetMemHandle, (CUipcMemHandle *pHandle, CUdeviceptr dptr), (pHandle, dptr))
SIM_API(CONTEXT, 4010, cuIpcOpenMemHandle, (CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags),
        (pdptr, handle, Flags))
SIM_API(CONTEXT, 11000, cuIpcOpenMemHandle_v2, (CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags),
        (pdptr, handle, Flags))
SIM_API(CONTEXT, 4010, cuIpcCloseMemHandle, (CUdeviceptr dptr), (dptr))
SIM_API(CONTEXT, 10000, cuImportExternalMemory,
        (CUexternalMemory *extMem_out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc),
        (extMem_out, memHandleDesc))
SIM_API(CONTEXT, 10000, cuExternalMemoryGetMappedBuffer,
        (CUdeviceptr *devPtr, CUexternalMemory extMem, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc),
        (devPtr, extMem, bufferDesc))
SIM_API(CONTEXT, 10000, cuExternalMemoryGetMappedMipmappedArray,
        (CUmipmappedArray *mipmap, CUexternalMemory extMem,
         const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc),
        (mipmap, extMem, mipmapDesc))
SIM_API(CONTEXT, 10000, cuDestroyExternalMemory, (CUexternalMemory extMem), (extMem))
