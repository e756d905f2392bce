// The runtime functions for devices, streams, events and launches, one row each; api.h says what the columns mean. No
// include guard: each user defines the SIM_RUNTIME macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Errors and versions
SIM_RUNTIME_VOID(NONE, cudaGetLastError, 3020)
SIM_RUNTIME_VOID(NONE, cudaPeekAtLastError, 3020)
SIM_RUNTIME(NONE, cudaDriverGetVersion, 3020, (int *driverVersion), (driverVersion))
SIM_RUNTIME(NONE, cudaRuntimeGetVersion, 3020, (int *runtimeVersion), (runtimeVersion))
SIM_RUNTIME_TWIN(NONE, cudaGetDriverEntryPoint, 11030, _ptsz, 11030,
                 (const char *symbol, void **funcPtr, unsigned long long flags,
                  enum cudaDriverEntryPointQueryResult *driverStatus),
                 (symbol, funcPtr, flags, driverStatus))
SIM_RUNTIME_TWIN(NONE, cudaGetDriverEntryPointByVersion, 12050, _ptsz, 12050,
                 (const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags,
                  enum cudaDriverEntryPointQueryResult *driverStatus),
                 (symbol, funcPtr, cudaVersion, flags, driverStatus))
SIM_RUNTIME_VOID(CONTEXT, cudaProfilerStart, 4000)
SIM_RUNTIME_VOID(CONTEXT, cudaProfilerStop, 4000)

// Devices
SIM_RUNTIME(INIT, cudaGetDeviceCount, 3020, (int *count), (count))
SIM_RUNTIME(INIT, cudaGetDeviceProperties, 12000, (struct cudaDeviceProp *prop, int device), (prop, device))
SIM_RUNTIME(INIT, cudaDeviceGetAttribute, 5000, (int *value, enum cudaDeviceAttr attr, int device),
            (value, attr, device))
SIM_RUNTIME(INIT, cudaChooseDevice, 3020, (int *device, const struct cudaDeviceProp *prop), (device, prop))
SIM_RUNTIME(INIT, cudaSetDevice, 3020, (int device), (device))
SIM_RUNTIME(INIT, cudaInitDevice, 12000, (int device, unsigned int deviceFlags, unsigned int flags),
            (device, deviceFlags, flags))
SIM_RUNTIME(INIT, cudaGetDevice, 3020, (int *device), (device))
SIM_RUNTIME(INIT, cudaSetValidDevices, 3020, (int *device_arr, int len), (device_arr, len))
SIM_RUNTIME(INIT, cudaSetDeviceFlags, 3020, (unsigned int flags), (flags))
SIM_RUNTIME(INIT, cudaGetDeviceFlags, 7000, (unsigned int *flags), (flags))
SIM_RUNTIME_VOID(INIT, cudaDeviceReset, 3020)
SIM_RUNTIME_VOID(CONTEXT, cudaDeviceSynchronize, 3020)
SIM_RUNTIME_VOID(CONTEXT, cudaCtxResetPersistingL2Cache, 11000)
SIM_RUNTIME(CONTEXT, cudaDeviceSetLimit, 3020, (enum cudaLimit limit, size_t value), (limit, value))
SIM_RUNTIME(CONTEXT, cudaDeviceGetLimit, 3020, (size_t *pValue, enum cudaLimit limit), (pValue, limit))
SIM_RUNTIME(CONTEXT, cudaDeviceGetCacheConfig, 3020, (enum cudaFuncCache *pCacheConfig), (pCacheConfig))
SIM_RUNTIME(CONTEXT, cudaDeviceSetCacheConfig, 3020, (enum cudaFuncCache cacheConfig), (cacheConfig))
SIM_RUNTIME(CONTEXT, cudaDeviceGetStreamPriorityRange, 5050, (int *leastPriority, int *greatestPriority),
            (leastPriority, greatestPriority))
SIM_RUNTIME(INIT, cudaDeviceGetByPCIBusId, 4010, (int *device, const char *pciBusId), (device, pciBusId))
SIM_RUNTIME(INIT, cudaDeviceGetPCIBusId, 4010, (char *pciBusId, int len, int device), (pciBusId, len, device))
SIM_RUNTIME(INIT, cudaDeviceCanAccessPeer, 4000, (int *canAccessPeer, int device, int peerDevice),
            (canAccessPeer, device, peerDevice))
SIM_RUNTIME(CONTEXT, cudaDeviceEnablePeerAccess, 4000, (int peerDevice, unsigned int flags), (peerDevice, flags))
SIM_RUNTIME(CONTEXT, cudaDeviceDisablePeerAccess, 4000, (int peerDevice), (peerDevice))
SIM_RUNTIME(INIT, cudaDeviceGetP2PAttribute, 8000,
            (int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice),
            (value, attr, srcDevice, dstDevice))
SIM_RUNTIME(INIT, cudaDeviceGetDefaultMemPool, 11020, (cudaMemPool_t *memPool, int device), (memPool, device))
SIM_RUNTIME(INIT, cudaDeviceGetMemPool, 11020, (cudaMemPool_t *memPool, int device), (memPool, device))
SIM_RUNTIME(INIT, cudaDeviceSetMemPool, 11020, (int device, cudaMemPool_t memPool), (device, memPool))

// Streams
SIM_RUNTIME(CONTEXT, cudaStreamCreate, 3020, (cudaStream_t *pStream), (pStream))
SIM_RUNTIME(CONTEXT, cudaStreamCreateWithFlags, 5000, (cudaStream_t *pStream, unsigned int flags), (pStream, flags))
SIM_RUNTIME(CONTEXT, cudaStreamCreateWithPriority, 5050, (cudaStream_t *pStream, unsigned int flags, int priority),
            (pStream, flags, priority))
SIM_RUNTIME(CONTEXT, cudaStreamDestroy, 5050, (cudaStream_t stream), (stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamGetPriority, 5050, _ptsz, 7000, (cudaStream_t hStream, int *priority),
                 (hStream, priority))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamGetFlags, 5050, _ptsz, 7000, (cudaStream_t hStream, unsigned int *flags),
                 (hStream, flags))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamGetId, 12000, _ptsz, 12000, (cudaStream_t hStream, unsigned long long *streamId),
                 (hStream, streamId))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamGetDevice, 12080, _ptsz, 12080, (cudaStream_t hStream, int *device),
                 (hStream, device))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamCopyAttributes, 11000, _ptsz, 11000,
                 (cudaStream_t dstStream, cudaStream_t srcStream), (dstStream, srcStream))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamGetAttribute, 11000, _ptsz, 11000,
                 (cudaStream_t stream, cudaStreamAttrID attr, cudaStreamAttrValue *value), (stream, attr, value))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamSetAttribute, 11000, _ptsz, 11000,
                 (cudaStream_t stream, cudaStreamAttrID attr, const cudaStreamAttrValue *param), (stream, attr, param))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamWaitEvent, 3020, _ptsz, 7000,
                 (cudaStream_t stream, cudaEvent_t event, unsigned int flags), (stream, event, flags))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamAddCallback, 5000, _ptsz, 7000,
                 (cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags),
                 (stream, callback, userData, flags))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamSynchronize, 3020, _ptsz, 7000, (cudaStream_t stream), (stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamQuery, 3020, _ptsz, 7000, (cudaStream_t stream), (stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaStreamAttachMemAsync, 6000, _ptsz, 7000,
                 (cudaStream_t stream, void *devPtr, size_t length, unsigned int flags),
                 (stream, devPtr, length, flags))
SIM_RUNTIME_TWIN(CONTEXT, cudaLaunchHostFunc, 10000, _ptsz, 10000,
                 (cudaStream_t stream, cudaHostFn_t fn, void *userData), (stream, fn, userData))

// Events
SIM_RUNTIME(CONTEXT, cudaEventCreate, 3020, (cudaEvent_t *event), (event))
SIM_RUNTIME(CONTEXT, cudaEventCreateWithFlags, 3020, (cudaEvent_t *event, unsigned int flags), (event, flags))
SIM_RUNTIME_TWIN(CONTEXT, cudaEventRecord, 3020, _ptsz, 7000, (cudaEvent_t event, cudaStream_t stream), (event, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaEventRecordWithFlags, 11010, _ptsz, 11010,
                 (cudaEvent_t event, cudaStream_t stream, unsigned int flags), (event, stream, flags))
SIM_RUNTIME(CONTEXT, cudaEventQuery, 3020, (cudaEvent_t event), (event))
SIM_RUNTIME(CONTEXT, cudaEventSynchronize, 3020, (cudaEvent_t event), (event))
SIM_RUNTIME(CONTEXT, cudaEventDestroy, 3020, (cudaEvent_t event), (event))
SIM_RUNTIME(CONTEXT, cudaEventElapsedTime, 12080, (float *ms, cudaEvent_t start, cudaEvent_t end), (ms, start, end))

// Kernels
SIM_RUNTIME_TWIN(CONTEXT, cudaLaunchKernel, 7000, _ptsz, 7000,
                 (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
                 (func, gridDim, blockDim, args, sharedMem, stream))
SIM_RUNTIME_TWIN(CONTEXT, cudaLaunchKernelExC, 11060, _ptsz, 11060,
                 (const cudaLaunchConfig_t *config, const void *func, void **args), (config, func, args))
SIM_RUNTIME_TWIN(CONTEXT, cudaLaunchCooperativeKernel, 9000, _ptsz, 9000,
                 (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
                 (func, gridDim, blockDim, args, sharedMem, stream))
SIM_RUNTIME(CONTEXT, cudaFuncSetCacheConfig, 3020, (const void *func, enum cudaFuncCache cacheConfig),
            (func, cacheConfig))
SIM_RUNTIME(CONTEXT, cudaFuncGetAttributes, 3020, (struct cudaFuncAttributes *attr, const void *func), (attr, func))
SIM_RUNTIME(CONTEXT, cudaFuncSetAttribute, 9000, (const void *func, enum cudaFuncAttribute attr, int value),
            (func, attr, value))
SIM_RUNTIME(CONTEXT, cudaFuncGetName, 12030, (const char **name, const void *func), (name, func))
SIM_RUNTIME(CONTEXT, cudaFuncGetParamInfo, 12040,
            (const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize),
            (func, paramIndex, paramOffset, paramSize))
SIM_RUNTIME(CONTEXT, cudaGetFuncBySymbol, 11000, (cudaFunction_t *functionPtr, const void *symbolPtr),
            (functionPtr, symbolPtr))
SIM_RUNTIME(CONTEXT, cudaGetKernel, 12000, (cudaKernel_t *kernelPtr, const void *entryFuncAddr),
            (kernelPtr, entryFuncAddr))
SIM_RUNTIME(CONTEXT, cudaOccupancyMaxActiveBlocksPerMultiprocessor, 6050,
            (int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize),
            (numBlocks, func, blockSize, dynamicSMemSize))
SIM_RUNTIME(CONTEXT, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000,
            (int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize, unsigned int flags),
            (numBlocks, func, blockSize, dynamicSMemSize, flags))
SIM_RUNTIME(CONTEXT, cudaOccupancyAvailableDynamicSMemPerBlock, 10200,
            (size_t *dynamicSmemSize, const void *func, int numBlocks, int blockSize),
            (dynamicSmemSize, func, numBlocks, blockSize))
SIM_RUNTIME(CONTEXT, cudaGetSymbolAddress, 3020, (void **devPtr, const void *symbol), (devPtr, symbol))
SIM_RUNTIME(CONTEXT, cudaGetSymbolSize, 3020, (size_t *size, const void *symbol), (size, symbol))
SIM_RUNTIME(CONTEXT, cudaLibraryLoadData, 12060,
            (cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions, void **jitOptionsValues,
             unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
             unsigned int numLibraryOptions),
            (library, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
             numLibraryOptions))
SIM_RUNTIME(CONTEXT, cudaLibraryLoadFromFile, 12060,
            (cudaLibrary_t *library, const char *fileName, enum cudaJitOption *jitOptions, void **jitOptionsValues,
             unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
             unsigned int numLibraryOptions),
            (library, fileName, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
             numLibraryOptions))
SIM_RUNTIME(CONTEXT, cudaLibraryUnload, 12060, (cudaLibrary_t library), (library))
SIM_RUNTIME(CONTEXT, cudaLibraryGetKernel, 12060, (cudaKernel_t *pKernel, cudaLibrary_t library, const char *name),
            (pKernel, library, name))
SIM_RUNTIME(CONTEXT, cudaLibraryGetGlobal, 12060, (void **dptr, size_t *bytes, cudaLibrary_t library, const char *name),
            (dptr, bytes, library, name))
SIM_RUNTIME(CONTEXT, cudaLibraryGetManaged, 12060,
            (void **dptr, size_t *bytes, cudaLibrary_t library, const char *name), (dptr, bytes, library, name))
SIM_RUNTIME(CONTEXT, cudaLibraryGetKernelCount, 12060, (unsigned int *count, cudaLibrary_t lib), (count, lib))
SIM_RUNTIME(CONTEXT, cudaLibraryEnumerateKernels, 12060,
            (cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib), (kernels, numKernels, lib))
