// Devices as the runtime shows them.
#include "tests/simcuda/runtime/runtime.h"
#include <string.h>

cudaError_t rt_cudaDriverGetVersion(int *driverVersion) {
    if (!driverVersion) return cudaErrorInvalidValue;
    *driverVersion = 0; // no driver
    return rt_bridge() ? rt_error(rt_driver()->cuDriverGetVersion(driverVersion)) : cudaSuccess;
}

cudaError_t rt_cudaRuntimeGetVersion(int *runtimeVersion) {
    if (!runtimeVersion) return cudaErrorInvalidValue;
    *runtimeVersion = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t rt_cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                                unsigned long long flags,
                                                enum cudaDriverEntryPointQueryResult *driverStatus) {
    if (!symbol || !funcPtr) return cudaErrorInvalidValue;
    if (!rt_bridge()) return cudaErrorInsufficientDriver;
    CUdriverProcAddressQueryResult status;
    CUresult result = rt_driver()->cuGetProcAddress(symbol, funcPtr, (int)cudaVersion, flags, &status);
    if (driverStatus) *driverStatus = (enum cudaDriverEntryPointQueryResult)status;
    return rt_error(result);
}

cudaError_t rt_cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                       enum cudaDriverEntryPointQueryResult *driverStatus) {
    return rt_cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}

cudaError_t rt_cudaProfilerStart(void) {
    return cudaSuccess;
}

cudaError_t rt_cudaProfilerStop(void) {
    return cudaSuccess;
}

cudaError_t rt_cudaGetDeviceCount(int *count) {
    return count ? rt_error(rt_driver()->cuDeviceGetCount(count)) : cudaErrorInvalidValue;
}

static int attribute(int device, CUdevice_attribute which) {
    int value = 0;
    rt_driver()->cuDeviceGetAttribute(&value, which, device);
    return value;
}

#define ATTRIBUTE(which) attribute(device, CU_DEVICE_ATTRIBUTE_##which)

static void describe_limits(struct cudaDeviceProp *prop, int device) {
    prop->sharedMemPerBlock = (size_t)ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK);
    prop->sharedMemPerBlockOptin = (size_t)ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    prop->sharedMemPerMultiprocessor = (size_t)ATTRIBUTE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    prop->reservedSharedMemPerBlock = (size_t)ATTRIBUTE(RESERVED_SHARED_MEMORY_PER_BLOCK);
    prop->regsPerBlock = ATTRIBUTE(MAX_REGISTERS_PER_BLOCK);
    prop->regsPerMultiprocessor = ATTRIBUTE(MAX_REGISTERS_PER_MULTIPROCESSOR);
    prop->warpSize = ATTRIBUTE(WARP_SIZE);
    prop->memPitch = (size_t)ATTRIBUTE(MAX_PITCH);
    prop->maxThreadsPerBlock = ATTRIBUTE(MAX_THREADS_PER_BLOCK);
    for (int i = 0; i < 3; i++) {
        prop->maxThreadsDim[i] = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
        prop->maxGridSize[i] = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
    }
    prop->totalConstMem = (size_t)ATTRIBUTE(TOTAL_CONSTANT_MEMORY);
    prop->textureAlignment = (size_t)ATTRIBUTE(TEXTURE_ALIGNMENT);
    prop->texturePitchAlignment = (size_t)ATTRIBUTE(TEXTURE_PITCH_ALIGNMENT);
    prop->surfaceAlignment = (size_t)ATTRIBUTE(SURFACE_ALIGNMENT);
    prop->maxThreadsPerMultiProcessor = ATTRIBUTE(MAX_THREADS_PER_MULTIPROCESSOR);
    prop->maxBlocksPerMultiProcessor = ATTRIBUTE(MAX_BLOCKS_PER_MULTIPROCESSOR);
}

static void describe_features(struct cudaDeviceProp *prop, int device) {
    prop->major = ATTRIBUTE(COMPUTE_CAPABILITY_MAJOR);
    prop->minor = ATTRIBUTE(COMPUTE_CAPABILITY_MINOR);
    prop->multiProcessorCount = ATTRIBUTE(MULTIPROCESSOR_COUNT);
    prop->canMapHostMemory = ATTRIBUTE(CAN_MAP_HOST_MEMORY);
    prop->concurrentKernels = ATTRIBUTE(CONCURRENT_KERNELS);
    prop->pciBusID = ATTRIBUTE(PCI_BUS_ID);
    prop->asyncEngineCount = ATTRIBUTE(ASYNC_ENGINE_COUNT);
    prop->unifiedAddressing = ATTRIBUTE(UNIFIED_ADDRESSING);
    prop->memoryBusWidth = ATTRIBUTE(GLOBAL_MEMORY_BUS_WIDTH);
    prop->l2CacheSize = ATTRIBUTE(L2_CACHE_SIZE);
    prop->streamPrioritiesSupported = ATTRIBUTE(STREAM_PRIORITIES_SUPPORTED);
    prop->managedMemory = ATTRIBUTE(MANAGED_MEMORY);
    prop->concurrentManagedAccess = ATTRIBUTE(CONCURRENT_MANAGED_ACCESS);
    prop->cooperativeLaunch = ATTRIBUTE(COOPERATIVE_LAUNCH);
    prop->hostRegisterSupported = ATTRIBUTE(HOST_REGISTER_SUPPORTED);
    prop->memoryPoolsSupported = ATTRIBUTE(MEMORY_POOLS_SUPPORTED);
    prop->memoryPoolSupportedHandleTypes = (unsigned)ATTRIBUTE(MEMPOOL_SUPPORTED_HANDLE_TYPES);
    prop->ipcEventSupported = ATTRIBUTE(IPC_EVENT_SUPPORTED);
    prop->clusterLaunch = ATTRIBUTE(CLUSTER_LAUNCH);
}

cudaError_t rt_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    if (!prop) return cudaErrorInvalidValue;
    memset(prop, 0, sizeof(*prop));
    CUuuid uuid;
    if (rt_driver()->cuDeviceGetName(prop->name, sizeof(prop->name), device) != CUDA_SUCCESS)
        return cudaErrorInvalidDevice;
    rt_driver()->cuDeviceTotalMem(&prop->totalGlobalMem, device);
    rt_driver()->cuDeviceGetUuid(&uuid, device);
    memcpy(&prop->uuid, &uuid, sizeof(uuid));
    describe_limits(prop, device);
    describe_features(prop, device);
    return cudaSuccess;
}

cudaError_t rt_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    return value ? rt_error(rt_driver()->cuDeviceGetAttribute(value, (CUdevice_attribute)attr, device))
                 : cudaErrorInvalidValue;
}

cudaError_t rt_cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    if (!device || !prop) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
}

cudaError_t rt_cudaSetValidDevices(int *device_arr, int len) {
    (void)device_arr;
    return len < 0 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t rt_cudaSetDeviceFlags(unsigned int flags) {
    return rt_error(rt_driver()->cuDevicePrimaryCtxSetFlags(rt_device(), flags));
}

cudaError_t rt_cudaGetDeviceFlags(unsigned int *flags) {
    int active;
    return flags ? rt_error(rt_driver()->cuDevicePrimaryCtxGetState(rt_device(), flags, &active))
                 : cudaErrorInvalidValue;
}

cudaError_t rt_cudaCtxResetPersistingL2Cache(void) {
    return rt_error(rt_driver()->cuCtxResetPersistingL2Cache());
}

cudaError_t rt_cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    return rt_error(rt_driver()->cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t rt_cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit) {
    return rt_error(rt_driver()->cuCtxGetLimit(pValue, (CUlimit)limit));
}

cudaError_t rt_cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
    return rt_error(rt_driver()->cuCtxGetCacheConfig((CUfunc_cache *)pCacheConfig));
}

cudaError_t rt_cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig) {
    return rt_error(rt_driver()->cuCtxSetCacheConfig((CUfunc_cache)cacheConfig));
}

cudaError_t rt_cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    return rt_error(rt_driver()->cuCtxGetStreamPriorityRange(leastPriority, greatestPriority));
}

cudaError_t rt_cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    return rt_error(rt_driver()->cuDeviceGetByPCIBusId(device, pciBusId));
}

cudaError_t rt_cudaDeviceGetPCIBusId(char *pciBusId, int len, int device) {
    return rt_error(rt_driver()->cuDeviceGetPCIBusId(pciBusId, len, device));
}

cudaError_t rt_cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice) {
    return rt_error(rt_driver()->cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice));
}

cudaError_t rt_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice) {
    return rt_error(rt_driver()->cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attr, srcDevice, dstDevice));
}

cudaError_t rt_cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    CUcontext peer;
    cudaError_t error = rt_context_of(peerDevice, &peer);
    return error == cudaSuccess ? rt_error(rt_driver()->cuCtxEnablePeerAccess(peer, flags)) : error;
}

cudaError_t rt_cudaDeviceDisablePeerAccess(int peerDevice) {
    CUcontext peer;
    cudaError_t error = rt_context_of(peerDevice, &peer);
    return error == cudaSuccess ? rt_error(rt_driver()->cuCtxDisablePeerAccess(peer)) : error;
}
