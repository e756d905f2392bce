// The runtime functions that allocate, describe and copy memory, one row each; api.h says what the columns mean. No
// include guard: each user defines the SIM_RUNTIME macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Allocation
SIM_RUNTIME(CONTEXT, cudaMalloc, 3020, (void **devPtr, size_t size), (devPtr, size))
SIM_RUNTIME(CONTEXT, cudaMallocPitch, 3020, (void **devPtr, size_t *pitch, size_t width, size_t height),
            (devPtr, pitch, width, height))
SIM_RUNTIME(CONTEXT, cudaMalloc3D, 3020, (struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent),
            (pitchedDevPtr, extent))
SIM_RUNTIME(CONTEXT, cudaMallocManaged, 6000, (void **devPtr, size_t size, unsigned int flags), (devPtr, size, flags))
SIM_RUNTIME(CONTEXT, cudaMallocHost, 3020, (void **ptr, size_t size), (ptr, size))
SIM_RUNTIME(CONTEXT, cudaHostAlloc, 3020, (void **pHost, size_t size, unsigned int flags), (pHost, size, flags))
SIM_RUNTIME(CONTEXT, cudaFree, 3020, (void *devPtr), (devPtr))
SIM_RUNTIME(CONTEXT, cudaFreeHost, 3020, (void *ptr), (ptr))
SIM_RUNTIME(CONTEXT, cudaHostRegister, 4000, (void *ptr, size_t size, unsigned int flags), (ptr, size, flags))
SIM_RUNTIME(CONTEXT, cudaHostUnregister, 4000, (void *ptr), (ptr))
SIM_RUNTIME(CONTEXT, cudaHostGetDevicePointer, 3020, (void **pDevice, void *pHost, unsigned int flags),
            (pDevice, pHost, flags))
SIM_RUNTIME(CONTEXT, cudaHostGetFlags, 3020, (unsigned int *pFlags, void *pHost), (pFlags, pHost))
SIM_RUNTIME(CONTEXT, cudaMallocArray, 3020,
            (cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
             unsigned int flags),
            (array, desc, width, height, flags))
SIM_RUNTIME(CONTEXT, cudaMalloc3DArray, 3020,
            (cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
             unsigned int flags),
            (array, desc, extent, flags))
SIM_RUNTIME(CONTEXT, cudaFreeArray, 3020, (cudaArray_t array), (array))
SIM_RUNTIME(CONTEXT, cudaMallocMipmappedArray, 5000,
            (cudaMipmappedArray_t *mipmappedArray, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
             unsigned int numLevels, unsigned int flags),
            (mipmappedArray, desc, extent, numLevels, flags))
SIM_RUNTIME(CONTEXT, cudaGetMipmappedArrayLevel, 5000,
            (cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray, unsigned int level),
            (levelArray, mipmappedArray, level))
SIM_RUNTIME(CONTEXT, cudaFreeMipmappedArray, 5000, (cudaMipmappedArray_t mipmappedArray), (mipmappedArray))
SIM_RUNTIME(CONTEXT, cudaArrayGetInfo, 4010,
            (struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array),
            (desc, extent, flags, array))
SIM_RUNTIME(CONTEXT, cudaArrayGetMemoryRequirements, 11060,
            (struct cudaArrayMemoryRequirements *memoryRequirements, cudaArray_t array, int device),
            (memoryRequirements, array, device))
SIM_RUNTIME(CONTEXT, cudaMipmappedArrayGetMemoryRequirements, 11060,
            (struct cudaArrayMemoryRequirements *memoryRequirements, cudaMipmappedArray_t mipmap, int device),
            (memoryRequirements, mipmap, device))
SIM_RUNTIME(CONTEXT, cudaGetChannelDesc, 3020, (struct cudaChannelFormatDesc *desc, cudaArray_const_t array),
            (desc, array))
SIM_RUNTIME(CONTEXT, cudaMemGetInfo, 3020, (size_t *free, size_t *total), (free, total))
SIM_RUNTIME(CONTEXT, cudaPointerGetAttributes, 4000, (struct cudaPointerAttributes *attributes, const void *ptr),
            (attributes, ptr))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemPrefetchAsync, 12020, _ptsz, 12020,
                 (const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags,
                  cudaStream_t stream),
                 (devPtr, count, location, flags, stream))
SIM_RUNTIME(CONTEXT, cudaMemAdvise, 12020,
            (const void *devPtr, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location),
            (devPtr, count, advice, location))
SIM_RUNTIME(CONTEXT, cudaMemRangeGetAttribute, 8000,
            (void *data, size_t dataSize, enum cudaMemRangeAttribute attribute, const void *devPtr, size_t count),
            (data, dataSize, attribute, devPtr, count))
SIM_RUNTIME(CONTEXT, cudaMemRangeGetAttributes, 8000,
            (void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes, size_t numAttributes,
             const void *devPtr, size_t count),
            (data, dataSizes, attributes, numAttributes, devPtr, count))

// Pools
SIM_RUNTIME_TWIN(INIT, cudaMallocAsync, 11020, _ptsz, 11020, (void **devPtr, size_t size, cudaStream_t hStream),
                 (devPtr, size, hStream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMallocFromPoolAsync, 11020, _ptsz, 11020,
                 (void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream), (ptr, size, memPool, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaFreeAsync, 11020, _ptsz, 11020, (void *devPtr, cudaStream_t hStream), (devPtr, hStream))
SIM_RUNTIME(INIT, cudaMemPoolCreate, 11020, (cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps),
            (memPool, poolProps))
SIM_RUNTIME(INIT, cudaMemPoolDestroy, 11020, (cudaMemPool_t memPool), (memPool))
SIM_RUNTIME(INIT, cudaMemPoolTrimTo, 11020, (cudaMemPool_t memPool, size_t minBytesToKeep), (memPool, minBytesToKeep))
SIM_RUNTIME(INIT, cudaMemPoolSetAttribute, 11020, (cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value),
            (memPool, attr, value))
SIM_RUNTIME(INIT, cudaMemPoolGetAttribute, 11020, (cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value),
            (memPool, attr, value))
SIM_RUNTIME(INIT, cudaMemPoolSetAccess, 11020,
            (cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count), (memPool, descList, count))
SIM_RUNTIME(INIT, cudaMemPoolGetAccess, 11020,
            (enum cudaMemAccessFlags *flags, cudaMemPool_t memPool, struct cudaMemLocation *location),
            (flags, memPool, location))
SIM_RUNTIME(INIT, cudaMemGetDefaultMemPool, 13000,
            (cudaMemPool_t *memPool, struct cudaMemLocation *location, enum cudaMemAllocationType type),
            (memPool, location, type))
SIM_RUNTIME(INIT, cudaMemGetMemPool, 13000,
            (cudaMemPool_t *memPool, struct cudaMemLocation *location, enum cudaMemAllocationType type),
            (memPool, location, type))
SIM_RUNTIME(INIT, cudaMemSetMemPool, 13000,
            (struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t memPool),
            (location, type, memPool))

// Copies and fills
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy, 3020, _ptds, 7000,
                 (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind), (dst, src, count, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpyAsync, 3020, _ptsz, 7000,
                 (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
                 (dst, src, count, kind, stream))
SIM_RUNTIME(CONTEXT, cudaMemcpyPeer, 4000, (void *dst, int dstDevice, const void *src, int srcDevice, size_t count),
            (dst, dstDevice, src, srcDevice, count))
SIM_RUNTIME(CONTEXT, cudaMemcpyPeerAsync, 4000,
            (void *dst, int dstDevice, const void *src, int srcDevice, size_t count, cudaStream_t stream),
            (dst, dstDevice, src, srcDevice, count, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy2D, 3020, _ptds, 7000,
                 (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                  enum cudaMemcpyKind kind),
                 (dst, dpitch, src, spitch, width, height, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy2DAsync, 3020, _ptsz, 7000,
                 (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                  enum cudaMemcpyKind kind, cudaStream_t stream),
                 (dst, dpitch, src, spitch, width, height, kind, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy2DToArray, 3020, _ptds, 7000,
                 (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
                  size_t height, enum cudaMemcpyKind kind),
                 (dst, wOffset, hOffset, src, spitch, width, height, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy2DToArrayAsync, 3020, _ptsz, 7000,
                 (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
                  size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
                 (dst, wOffset, hOffset, src, spitch, width, height, kind, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy2DFromArray, 3020, _ptds, 7000,
                 (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
                  size_t height, enum cudaMemcpyKind kind),
                 (dst, dpitch, src, wOffset, hOffset, width, height, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy2DFromArrayAsync, 3020, _ptsz, 7000,
                 (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
                  size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
                 (dst, dpitch, src, wOffset, hOffset, width, height, kind, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy2DArrayToArray, 3020, _ptds, 7000,
                 (cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
                  size_t hOffsetSrc, size_t width, size_t height, enum cudaMemcpyKind kind),
                 (dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy3D, 3020, _ptds, 7000, (const struct cudaMemcpy3DParms *p), (p))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpy3DAsync, 3020, _ptsz, 7000,
                 (const struct cudaMemcpy3DParms *p, cudaStream_t stream), (p, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpyToSymbol, 3020, _ptds, 7000,
                 (const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind),
                 (symbol, src, count, offset, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpyToSymbolAsync, 3020, _ptsz, 7000,
                 (const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind,
                  cudaStream_t stream),
                 (symbol, src, count, offset, kind, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpyFromSymbol, 3020, _ptds, 7000,
                 (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
                 (dst, symbol, count, offset, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpyFromSymbolAsync, 3020, _ptsz, 7000,
                 (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                  cudaStream_t stream),
                 (dst, symbol, count, offset, kind, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpyToArray, 3020, _ptds, 7000,
                 (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                  enum cudaMemcpyKind kind),
                 (dst, wOffset, hOffset, src, count, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemcpyFromArray, 3020, _ptds, 7000,
                 (void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                  enum cudaMemcpyKind kind),
                 (dst, src, wOffset, hOffset, count, kind))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemset, 3020, _ptds, 7000, (void *devPtr, int value, size_t count),
                 (devPtr, value, count))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemsetAsync, 3020, _ptsz, 7000,
                 (void *devPtr, int value, size_t count, cudaStream_t stream), (devPtr, value, count, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemset2D, 3020, _ptds, 7000,
                 (void *devPtr, size_t pitch, int value, size_t width, size_t height),
                 (devPtr, pitch, value, width, height))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemset2DAsync, 3020, _ptsz, 7000,
                 (void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
                 (devPtr, pitch, value, width, height, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemset3D, 3020, _ptds, 7000,
                 (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent),
                 (pitchedDevPtr, value, extent))
SIM_RUNTIME_TWIN(CONTEXT, cudaMemset3DAsync, 3020, _ptsz, 7000,
                 (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent, cudaStream_t stream),
                 (pitchedDevPtr, value, extent, stream))
