// The driver entry points for the driver itself, devices, contexts, streams and events, one row each; api.h says what
// the columns mean. No include guard: each user defines the SIM_API macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// The driver itself
SIM_API(NONE, 2000, cuInit, (unsigned int Flags), (Flags))
SIM_API(NONE, 2020, cuDriverGetVersion, (int *driverVersion), (driverVersion))
SIM_API(NONE, 6000, cuGetErrorString, (CUresult error, const char **pStr), (error, pStr))
SIM_API(NONE, 6000, cuGetErrorName, (CUresult error, const char **pStr), (error, pStr))
SIM_API(NONE, 11030, cuGetProcAddress, (const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags),
        (symbol, pfn, cudaVersion, flags))
SIM_API(NONE, 12000, cuGetProcAddress_v2,
        (const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
         CUdriverProcAddressQueryResult *symbolStatus),
        (symbol, pfn, cudaVersion, flags, symbolStatus))
SIM_API(NONE, 3000, cuGetExportTable, (const void **ppExportTable, const CUuuid *pExportTableId),
        (ppExportTable, pExportTableId))
SIM_API_VOID(CONTEXT, 4000, cuProfilerStart)
SIM_API_VOID(CONTEXT, 4000, cuProfilerStop)

// Devices
SIM_API(INIT, 2000, cuDeviceGet, (CUdevice *device, int ordinal), (device, ordinal))
SIM_API(INIT, 2000, cuDeviceGetCount, (int *count), (count))
SIM_API(INIT, 2000, cuDeviceGetName, (char *name, int len, CUdevice dev), (name, len, dev))
SIM_API(INIT, 9020, cuDeviceGetUuid, (CUuuid *uuid, CUdevice dev), (uuid, dev))
SIM_API(INIT, 11040, cuDeviceGetUuid_v2, (CUuuid *uuid, CUdevice dev), (uuid, dev))
SIM_API(INIT, 10000, cuDeviceGetLuid, (char *luid, unsigned int *deviceNodeMask, CUdevice dev),
        (luid, deviceNodeMask, dev))
SIM_API(INIT, 3020, cuDeviceTotalMem_v2, (size_t *bytes, CUdevice dev), (bytes, dev))
SIM_API(INIT, 2000, cuDeviceGetAttribute, (int *pi, CUdevice_attribute attrib, CUdevice dev), (pi, attrib, dev))
SIM_API(INIT, 2000, cuDeviceGetProperties, (CUdevprop *prop, CUdevice dev), (prop, dev))
SIM_API(INIT, 2000, cuDeviceComputeCapability, (int *major, int *minor, CUdevice dev), (major, minor, dev))
SIM_API(INIT, 4010, cuDeviceGetByPCIBusId, (CUdevice *dev, const char *pciBusId), (dev, pciBusId))
SIM_API(INIT, 4010, cuDeviceGetPCIBusId, (char *pciBusId, int len, CUdevice dev), (pciBusId, len, dev))
SIM_API(INIT, 4000, cuDeviceCanAccessPeer, (int *canAccessPeer, CUdevice dev, CUdevice peerDev),
        (canAccessPeer, dev, peerDev))
SIM_API(INIT, 8000, cuDeviceGetP2PAttribute,
        (int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice),
        (value, attrib, srcDevice, dstDevice))
SIM_API(INIT, 11020, cuDeviceGetMemPool, (CUmemoryPool *pool, CUdevice dev), (pool, dev))
SIM_API(INIT, 11020, cuDeviceGetDefaultMemPool, (CUmemoryPool *pool_out, CUdevice dev), (pool_out, dev))
SIM_API(INIT, 11020, cuDeviceSetMemPool, (CUdevice dev, CUmemoryPool pool), (dev, pool))
SIM_API(INIT, 11040, cuDeviceGetExecAffinitySupport, (int *pi, CUexecAffinityType type, CUdevice dev), (pi, type, dev))

// Contexts
SIM_API(INIT, 7000, cuDevicePrimaryCtxRetain, (CUcontext *pctx, CUdevice dev), (pctx, dev))
SIM_API(INIT, 7000, cuDevicePrimaryCtxRelease, (CUdevice dev), (dev))
SIM_API(INIT, 11000, cuDevicePrimaryCtxRelease_v2, (CUdevice dev), (dev))
SIM_API(INIT, 7000, cuDevicePrimaryCtxReset, (CUdevice dev), (dev))
SIM_API(INIT, 11000, cuDevicePrimaryCtxReset_v2, (CUdevice dev), (dev))
SIM_API(INIT, 7000, cuDevicePrimaryCtxSetFlags, (CUdevice dev, unsigned int flags), (dev, flags))
SIM_API(INIT, 11000, cuDevicePrimaryCtxSetFlags_v2, (CUdevice dev, unsigned int flags), (dev, flags))
SIM_API(INIT, 7000, cuDevicePrimaryCtxGetState, (CUdevice dev, unsigned int *flags, int *active), (dev, flags, active))
SIM_API(INIT, 2000, cuCtxCreate, (CUcontext *pctx, unsigned int flags, CUdevice dev), (pctx, flags, dev))
SIM_API(INIT, 3020, cuCtxCreate_v2, (CUcontext *pctx, unsigned int flags, CUdevice dev), (pctx, flags, dev))
SIM_API(INIT, 11040, cuCtxCreate_v3,
        (CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags, CUdevice dev),
        (pctx, paramsArray, numParams, flags, dev))
SIM_API(INIT, 12050, cuCtxCreate_v4,
        (CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev),
        (pctx, ctxCreateParams, flags, dev))
SIM_API(INIT, 2000, cuCtxDestroy, (CUcontext ctx), (ctx))
SIM_API(INIT, 4000, cuCtxDestroy_v2, (CUcontext ctx), (ctx))
SIM_API(CONTEXT, 2000, cuCtxAttach, (CUcontext *pctx, unsigned int flags), (pctx, flags))
SIM_API(CONTEXT, 2000, cuCtxDetach, (CUcontext ctx), (ctx))
SIM_API_VOID(CONTEXT, 11000, cuCtxResetPersistingL2Cache)
SIM_API(INIT, 2000, cuCtxPushCurrent, (CUcontext ctx), (ctx))
SIM_API(INIT, 4000, cuCtxPushCurrent_v2, (CUcontext ctx), (ctx))
SIM_API(INIT, 2000, cuCtxPopCurrent, (CUcontext *pctx), (pctx))
SIM_API(INIT, 4000, cuCtxPopCurrent_v2, (CUcontext *pctx), (pctx))
SIM_API(INIT, 4000, cuCtxSetCurrent, (CUcontext ctx), (ctx))
SIM_API(INIT, 4000, cuCtxGetCurrent, (CUcontext *pctx), (pctx))
SIM_API(CONTEXT, 2000, cuCtxGetDevice, (CUdevice *device), (device))
SIM_API(INIT, 13000, cuCtxGetDevice_v2, (CUdevice *device, CUcontext ctx), (device, ctx))
SIM_API(CONTEXT, 7000, cuCtxGetFlags, (unsigned int *flags), (flags))
SIM_API(INIT, 12000, cuCtxGetId, (CUcontext ctx, unsigned long long *ctxId), (ctx, ctxId))
SIM_API_VOID(CONTEXT, 2000, cuCtxSynchronize)
SIM_API(INIT, 13000, cuCtxSynchronize_v2, (CUcontext ctx), (ctx))
SIM_API(CONTEXT, 3010, cuCtxSetLimit, (CUlimit limit, size_t value), (limit, value))
SIM_API(CONTEXT, 3010, cuCtxGetLimit, (size_t *pvalue, CUlimit limit), (pvalue, limit))
SIM_API(CONTEXT, 3020, cuCtxGetCacheConfig, (CUfunc_cache *pconfig), (pconfig))
SIM_API(CONTEXT, 3020, cuCtxSetCacheConfig, (CUfunc_cache config), (config))
SIM_API(INIT, 3020, cuCtxGetApiVersion, (CUcontext ctx, unsigned int *version), (ctx, version))
SIM_API(CONTEXT, 5050, cuCtxGetStreamPriorityRange, (int *leastPriority, int *greatestPriority),
        (leastPriority, greatestPriority))
SIM_API(CONTEXT, 4000, cuCtxEnablePeerAccess, (CUcontext peerContext, unsigned int Flags), (peerContext, Flags))
SIM_API(CONTEXT, 4000, cuCtxDisablePeerAccess, (CUcontext peerContext), (peerContext))
