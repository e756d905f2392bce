// The driver entry points that allocate, map, free, describe and copy memory, one row each; api.h says what the columns
// mean. No include guard: each user defines the SIM_API macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Linear and host memory
SIM_API(CONTEXT, 3020, cuMemGetInfo_v2, (size_t *free, size_t *total), (free, total))
SIM_API(CONTEXT, 2000, cuMemAlloc, (CUdeviceptr_v1 *dptr, unsigned int bytesize), (dptr, bytesize))
SIM_API(CONTEXT, 3020, cuMemAlloc_v2, (CUdeviceptr *dptr, size_t bytesize), (dptr, bytesize))
SIM_API(CONTEXT, 2000, cuMemAllocPitch,
        (CUdeviceptr_v1 *dptr, unsigned int *pPitch, unsigned int WidthInBytes, unsigned int Height,
         unsigned int ElementSizeBytes),
        (dptr, pPitch, WidthInBytes, Height, ElementSizeBytes))
SIM_API(CONTEXT, 3020, cuMemAllocPitch_v2,
        (CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height, unsigned int ElementSizeBytes),
        (dptr, pPitch, WidthInBytes, Height, ElementSizeBytes))
SIM_API(CONTEXT, 6000, cuMemAllocManaged, (CUdeviceptr *dptr, size_t bytesize, unsigned int flags),
        (dptr, bytesize, flags))
SIM_API(CONTEXT, 2000, cuMemFree, (CUdeviceptr_v1 dptr), (dptr))
SIM_API(CONTEXT, 3020, cuMemFree_v2, (CUdeviceptr dptr), (dptr))
SIM_API(CONTEXT, 3020, cuMemGetAddressRange_v2, (CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr),
        (pbase, psize, dptr))
SIM_API(CONTEXT, 2000, cuMemAllocHost, (void **pp, unsigned int bytesize), (pp, bytesize))
SIM_API(CONTEXT, 3020, cuMemAllocHost_v2, (void **pp, size_t bytesize), (pp, bytesize))
SIM_API(CONTEXT, 2020, cuMemHostAlloc, (void **pp, size_t bytesize, unsigned int Flags), (pp, bytesize, Flags))
SIM_API(CONTEXT, 2000, cuMemFreeHost, (void *p), (p))
SIM_API(CONTEXT, 4000, cuMemHostRegister, (void *p, size_t bytesize, unsigned int Flags), (p, bytesize, Flags))
SIM_API(CONTEXT, 6050, cuMemHostRegister_v2, (void *p, size_t bytesize, unsigned int Flags), (p, bytesize, Flags))
SIM_API(CONTEXT, 4000, cuMemHostUnregister, (void *p), (p))
SIM_API(CONTEXT, 3020, cuMemHostGetDevicePointer_v2, (CUdeviceptr *pdptr, void *p, unsigned int Flags),
        (pdptr, p, Flags))
SIM_API(CONTEXT, 2030, cuMemHostGetFlags, (unsigned int *pFlags, void *p), (pFlags, p))

// Pointers
SIM_API(INIT, 4000, cuPointerGetAttribute, (void *data, CUpointer_attribute attribute, CUdeviceptr ptr),
        (data, attribute, ptr))
SIM_API(INIT, 7000, cuPointerGetAttributes,
        (unsigned int numAttributes, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr),
        (numAttributes, attributes, data, ptr))
SIM_API(INIT, 6000, cuPointerSetAttribute, (const void *value, CUpointer_attribute attribute, CUdeviceptr ptr),
        (value, attribute, ptr))
SIM_API(CONTEXT, 8000, cuMemRangeGetAttribute,
        (void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr, size_t count),
        (data, dataSize, attribute, devPtr, count))
SIM_API(CONTEXT, 8000, cuMemRangeGetAttributes,
        (void **data, size_t *dataSizes, CUmem_range_attribute *attributes, size_t numAttributes, CUdeviceptr devPtr,
         size_t count),
        (data, dataSizes, attributes, numAttributes, devPtr, count))
SIM_API_STREAM(CONTEXT, 8000, cuMemPrefetchAsync,
               (CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream),
               (devPtr, count, dstDevice, hStream), hStream)
SIM_API_STREAM(CONTEXT, 12020, cuMemPrefetchAsync_v2,
               (CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags, CUstream hStream),
               (devPtr, count, location, flags, hStream), hStream)
SIM_API(CONTEXT, 8000, cuMemAdvise, (CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device),
        (devPtr, count, advice, device))
SIM_API(CONTEXT, 12020, cuMemAdvise_v2, (CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location),
        (devPtr, count, advice, location))

// Pools
SIM_API_STREAM(CONTEXT, 11020, cuMemAllocAsync, (CUdeviceptr *dptr, size_t bytesize, CUstream hStream),
               (dptr, bytesize, hStream), hStream)
SIM_API_STREAM(CONTEXT, 11020, cuMemAllocFromPoolAsync,
               (CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream),
               (dptr, bytesize, pool, hStream), hStream)
SIM_API_STREAM(CONTEXT, 11020, cuMemFreeAsync, (CUdeviceptr dptr, CUstream hStream), (dptr, hStream), hStream)
SIM_API(INIT, 11020, cuMemPoolCreate, (CUmemoryPool *pool, const CUmemPoolProps *poolProps), (pool, poolProps))
SIM_API(INIT, 11020, cuMemPoolDestroy, (CUmemoryPool pool), (pool))
SIM_API(INIT, 11020, cuMemPoolTrimTo, (CUmemoryPool pool, size_t minBytesToKeep), (pool, minBytesToKeep))
SIM_API(INIT, 11020, cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attr, void *value),
        (pool, attr, value))
SIM_API(INIT, 11020, cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attr, void *value),
        (pool, attr, value))
SIM_API(INIT, 11020, cuMemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *map, size_t count),
        (pool, map, count))
SIM_API(INIT, 11020, cuMemPoolGetAccess, (CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location),
        (flags, memPool, location))
SIM_API(INIT, 13000, cuMemGetDefaultMemPool,
        (CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type), (pool_out, location, type))
SIM_API(INIT, 13000, cuMemGetMemPool, (CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type),
        (pool, location, type))
SIM_API(INIT, 13000, cuMemSetMemPool, (CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool),
        (location, type, pool))

// Arrays
SIM_API(CONTEXT, 2000, cuArrayCreate, (CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray),
        (pHandle, pAllocateArray))
SIM_API(CONTEXT, 2000, cuArray3DCreate, (CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray),
        (pHandle, pAllocateArray))
SIM_API(CONTEXT, 3020, cuArrayCreate_v2, (CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray),
        (pHandle, pAllocateArray))
SIM_API(CONTEXT, 3020, cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray),
        (pArrayDescriptor, hArray))
SIM_API(CONTEXT, 3020, cuArray3DCreate_v2, (CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray),
        (pHandle, pAllocateArray))
SIM_API(CONTEXT, 3020, cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray),
        (pArrayDescriptor, hArray))
SIM_API(CONTEXT, 11060, cuArrayGetMemoryRequirements,
        (CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUarray array, CUdevice device),
        (memoryRequirements, array, device))
SIM_API(CONTEXT, 11010, cuArrayGetSparseProperties, (CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array),
        (sparseProperties, array))
SIM_API(CONTEXT, 2000, cuArrayDestroy, (CUarray hArray), (hArray))
SIM_API(CONTEXT, 5000, cuMipmappedArrayCreate,
        (CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc, unsigned int numMipmapLevels),
        (pHandle, pMipmappedArrayDesc, numMipmapLevels))
SIM_API(CONTEXT, 5000, cuMipmappedArrayGetLevel,
        (CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level),
        (pLevelArray, hMipmappedArray, level))
SIM_API(CONTEXT, 11060, cuMipmappedArrayGetMemoryRequirements,
        (CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUmipmappedArray mipmap, CUdevice device),
        (memoryRequirements, mipmap, device))
SIM_API(CONTEXT, 11010, cuMipmappedArrayGetSparseProperties,
        (CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUmipmappedArray mipmap), (sparseProperties, mipmap))
SIM_API(CONTEXT, 5000, cuMipmappedArrayDestroy, (CUmipmappedArray hMipmappedArray), (hMipmappedArray))

// Copies and fills
SIM_API_PTDS(CONTEXT, 4000, cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount), (dst, src, ByteCount))
SIM_API_PTDS(CONTEXT, 4000, cuMemcpyPeer,
             (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
              size_t ByteCount),
             (dstDevice, dstContext, srcDevice, srcContext, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpyHtoD_v2, (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount),
             (dstDevice, srcHost, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpyDtoH_v2, (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount),
             (dstHost, srcDevice, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpyDtoD_v2, (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount),
             (dstDevice, srcDevice, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpyDtoA_v2,
             (CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount),
             (dstArray, dstOffset, srcDevice, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpyAtoD_v2,
             (CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount),
             (dstDevice, srcArray, srcOffset, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpyHtoA_v2,
             (CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount),
             (dstArray, dstOffset, srcHost, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpyAtoH_v2, (void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount),
             (dstHost, srcArray, srcOffset, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpyAtoA_v2,
             (CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount),
             (dstArray, dstOffset, srcArray, srcOffset, ByteCount))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpy2D_v2, (const CUDA_MEMCPY2D *pCopy), (pCopy))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *pCopy), (pCopy))
SIM_API_PTDS(CONTEXT, 3020, cuMemcpy3D_v2, (const CUDA_MEMCPY3D *pCopy), (pCopy))
SIM_API_PTDS(CONTEXT, 4000, cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *pCopy), (pCopy))
SIM_API_STREAM(CONTEXT, 4000, cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream),
               (dst, src, ByteCount, hStream), hStream)
SIM_API_STREAM(CONTEXT, 4000, cuMemcpyPeerAsync,
               (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                size_t ByteCount, CUstream hStream),
               (dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemcpyHtoDAsync_v2,
               (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream),
               (dstDevice, srcHost, ByteCount, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemcpyDtoHAsync_v2,
               (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
               (dstHost, srcDevice, ByteCount, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemcpyDtoDAsync_v2,
               (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
               (dstDevice, srcDevice, ByteCount, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemcpyHtoAAsync_v2,
               (CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount, CUstream hStream),
               (dstArray, dstOffset, srcHost, ByteCount, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemcpyAtoHAsync_v2,
               (void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream),
               (dstHost, srcArray, srcOffset, ByteCount, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *pCopy, CUstream hStream), (pCopy, hStream),
               hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *pCopy, CUstream hStream), (pCopy, hStream),
               hStream)
SIM_API_STREAM(CONTEXT, 4000, cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream),
               (pCopy, hStream), hStream)
SIM_API_STREAM(CONTEXT, 13000, cuMemcpyBatchAsync_v2,
               (CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs,
                size_t *attrsIdxs, size_t numAttrs, CUstream hStream),
               (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream), hStream)
SIM_API_PTDS(CONTEXT, 3020, cuMemsetD8_v2, (CUdeviceptr dstDevice, unsigned char uc, size_t N), (dstDevice, uc, N))
SIM_API_PTDS(CONTEXT, 3020, cuMemsetD16_v2, (CUdeviceptr dstDevice, unsigned short us, size_t N), (dstDevice, us, N))
SIM_API_PTDS(CONTEXT, 3020, cuMemsetD32_v2, (CUdeviceptr dstDevice, unsigned int ui, size_t N), (dstDevice, ui, N))
SIM_API_PTDS(CONTEXT, 3020, cuMemsetD2D8_v2,
             (CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height),
             (dstDevice, dstPitch, uc, Width, Height))
SIM_API_PTDS(CONTEXT, 3020, cuMemsetD2D16_v2,
             (CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height),
             (dstDevice, dstPitch, us, Width, Height))
SIM_API_PTDS(CONTEXT, 3020, cuMemsetD2D32_v2,
             (CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height),
             (dstDevice, dstPitch, ui, Width, Height))
SIM_API_STREAM(CONTEXT, 3020, cuMemsetD8Async, (CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream),
               (dstDevice, uc, N, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemsetD16Async, (CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream),
               (dstDevice, us, N, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemsetD32Async, (CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream),
               (dstDevice, ui, N, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemsetD2D8Async,
               (CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
                CUstream hStream),
               (dstDevice, dstPitch, uc, Width, Height, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemsetD2D16Async,
               (CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
                CUstream hStream),
               (dstDevice, dstPitch, us, Width, Height, hStream), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuMemsetD2D32Async,
               (CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height, CUstream hStream),
               (dstDevice, dstPitch, ui, Width, Height, hStream), hStream)
