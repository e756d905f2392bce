/*
 * The one list of driver entry points that matter to memory. The CUPTI feed, the hook feed, the coverage test and the
 * trace's API table are expansions of it.
 *
 *   X(name, effect function, default effect, memory, (parameters), (arguments))
 *   S(...)    the same for an entry point that also exists as <name>_ptsz, for the per-thread default stream
 *
 * The name is exact, with _v2 where cuda.h has it. Parameters are those of cuda.h (tests/unit/test_entry_points.c
 * checks them), arguments their names in order: also the order of the fields in generated_cuda_meta.h. The default
 * effect is what a success of the call means (enum mt_effect without its prefix; NONE where it depends or nothing is
 * written), the memory which kind (enum mt_memory without its prefix).
 *
 * Nothing is included here: whoever expands the parameters includes newer_cuda.h or cupti.h as it needs.
 *
 * An expansion must use `name` with # or ## alone: cuda.h makes macros of the unversioned names.
 */
#ifndef MEMTRACE_PRELOAD_ENTRY_POINTS_H
#define MEMTRACE_PRELOAD_ENTRY_POINTS_H

// clang-format off
#define MT_KERNEL_PARAMETERS                                                                                           \
    (CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,    \
     unsigned blockDimZ, unsigned sharedMemBytes, CUstream hStream, void **kernelParams, void **extra)
#define MT_KERNEL_ARGUMENTS                                                                                            \
    (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams, extra)

#define MT_ENTRY_POINTS(X, S)                                                                                          \
    /* linear device memory */                                                                                         \
    X(cuMemAlloc, mt_effect_mem_alloc_v1, ALLOCATED, DEVICE, (CUdeviceptr_v1 *dptr, unsigned bytesize),                \
      (dptr, bytesize))                                                                                                \
    X(cuMemAlloc_v2, mt_effect_mem_alloc, ALLOCATED, DEVICE, (CUdeviceptr *dptr, size_t bytesize), (dptr, bytesize))   \
    X(cuMemAllocPitch, mt_effect_mem_alloc_pitch_v1, ALLOCATED, PITCHED,                                               \
      (CUdeviceptr_v1 *dptr, unsigned *pPitch, unsigned WidthInBytes, unsigned Height, unsigned ElementSizeBytes),     \
      (dptr, pPitch, WidthInBytes, Height, ElementSizeBytes))                                                          \
    X(cuMemAllocPitch_v2, mt_effect_mem_alloc_pitch, ALLOCATED, PITCHED,                                               \
      (CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height, unsigned ElementSizeBytes),              \
      (dptr, pPitch, WidthInBytes, Height, ElementSizeBytes))                                                          \
    X(cuMemAllocManaged, mt_effect_mem_alloc_managed, ALLOCATED, MANAGED,                                              \
      (CUdeviceptr *dptr, size_t bytesize, unsigned flags), (dptr, bytesize, flags))                                   \
    X(cuMemFree, mt_effect_mem_free_v1, FREED, DEVICE, (CUdeviceptr_v1 dptr), (dptr))                                  \
    X(cuMemFree_v2, mt_effect_mem_free, FREED, DEVICE, (CUdeviceptr dptr), (dptr))                                     \
    S(cuMemAllocAsync, mt_effect_mem_alloc_async, ALLOCATED, POOL,                                                     \
      (CUdeviceptr *dptr, size_t bytesize, CUstream hStream), (dptr, bytesize, hStream))                               \
    S(cuMemAllocFromPoolAsync, mt_effect_mem_alloc_from_pool_async, ALLOCATED, POOL,                                   \
      (CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream), (dptr, bytesize, pool, hStream))      \
    S(cuMemFreeAsync, mt_effect_mem_free_async, FREED, POOL, (CUdeviceptr dptr, CUstream hStream), (dptr, hStream))    \
    S(cuMemPrefetchAsync, mt_effect_prefetch_v1, MIGRATED, MANAGED,                                                    \
      (CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream), (devPtr, count, dstDevice, hStream))   \
    S(cuMemPrefetchAsync_v2, mt_effect_prefetch, MIGRATED, MANAGED,                                                    \
      (CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned flags, CUstream hStream),                    \
      (devPtr, count, location, flags, hStream))                                                                       \
    /* host memory */                                                                                                  \
    X(cuMemAllocHost, mt_effect_mem_alloc_host_v1, ALLOCATED, PINNED, (void **pp, unsigned bytesize), (pp, bytesize))  \
    X(cuMemAllocHost_v2, mt_effect_mem_alloc_host, ALLOCATED, PINNED, (void **pp, size_t bytesize), (pp, bytesize))    \
    X(cuMemHostAlloc, mt_effect_mem_host_alloc, ALLOCATED, PINNED, (void **pp, size_t bytesize, unsigned Flags),       \
      (pp, bytesize, Flags))                                                                                           \
    X(cuMemFreeHost, mt_effect_mem_free_host, FREED, PINNED, (void *p), (p))                                           \
    X(cuMemHostRegister, mt_effect_mem_host_register, ALLOCATED, REGISTERED,                                           \
      (void *p, size_t bytesize, unsigned Flags), (p, bytesize, Flags))                                                \
    X(cuMemHostRegister_v2, mt_effect_mem_host_register, ALLOCATED, REGISTERED,                                        \
      (void *p, size_t bytesize, unsigned Flags), (p, bytesize, Flags))                                                \
    X(cuMemHostUnregister, mt_effect_mem_host_unregister, FREED, REGISTERED, (void *p), (p))                           \
    /* launches */                                                                                                     \
    S(cuLaunchKernel, mt_effect_launch_kernel, LAUNCHED, NONE, MT_KERNEL_PARAMETERS, MT_KERNEL_ARGUMENTS)              \
    S(cuLaunchKernelEx, mt_effect_launch_kernel_ex, LAUNCHED, NONE,                                                    \
      (const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra),                                 \
      (config, f, kernelParams, extra))                                                                                \
    S(cuLaunchCooperativeKernel, mt_effect_launch_cooperative, LAUNCHED, NONE,                                         \
      (CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,  \
       unsigned blockDimZ, unsigned sharedMemBytes, CUstream hStream, void **kernelParams),                            \
      (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams))       \
    X(cuLaunchCooperativeKernelMultiDevice, mt_effect_launch_multi_device, LAUNCHED, NONE,                             \
      (CUDA_LAUNCH_PARAMS *launchParamsList, unsigned numDevices, unsigned flags),                                     \
      (launchParamsList, numDevices, flags))                                                                           \
    X(cuLaunch, mt_effect_launch, LAUNCHED, NONE, (CUfunction f), (f))                                                 \
    X(cuLaunchGrid, mt_effect_launch_grid, LAUNCHED, NONE, (CUfunction f, int grid_width, int grid_height),            \
      (f, grid_width, grid_height))                                                                                    \
    X(cuLaunchGridAsync, mt_effect_launch_grid_async, LAUNCHED, NONE,                                                  \
      (CUfunction f, int grid_width, int grid_height, CUstream hStream), (f, grid_width, grid_height, hStream))        \
    /* contexts */                                                                                                     \
    X(cuCtxCreate, mt_effect_ctx_create, CONTEXT_CREATED, DEVICE, (CUcontext *pctx, unsigned flags, CUdevice dev),     \
      (pctx, flags, dev))                                                                                              \
    X(cuCtxCreate_v2, mt_effect_ctx_create, CONTEXT_CREATED, DEVICE, (CUcontext *pctx, unsigned flags, CUdevice dev),  \
      (pctx, flags, dev))                                                                                              \
    X(cuCtxCreate_v3, mt_effect_ctx_create_v3, CONTEXT_CREATED, DEVICE,                                                \
      (CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned flags, CUdevice dev),                \
      (pctx, paramsArray, numParams, flags, dev))                                                                      \
    X(cuCtxCreate_v4, mt_effect_ctx_create_v4, CONTEXT_CREATED, DEVICE,                                                \
      (CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned flags, CUdevice dev),                             \
      (pctx, ctxCreateParams, flags, dev))                                                                             \
    X(cuCtxDestroy, mt_effect_ctx_destroy, CONTEXT_ENDED, DEVICE, (CUcontext ctx), (ctx))                              \
    X(cuCtxDestroy_v2, mt_effect_ctx_destroy, CONTEXT_ENDED, DEVICE, (CUcontext ctx), (ctx))                           \
    X(cuDevicePrimaryCtxRetain, mt_effect_primary_ctx_retain, CONTEXT_CREATED, DEVICE,                                 \
      (CUcontext *pctx, CUdevice dev), (pctx, dev))                                                                    \
    X(cuDevicePrimaryCtxRelease, mt_effect_primary_ctx_release, DEVICE_RESET, DEVICE, (CUdevice dev), (dev))           \
    X(cuDevicePrimaryCtxRelease_v2, mt_effect_primary_ctx_release, DEVICE_RESET, DEVICE, (CUdevice dev), (dev))        \
    X(cuDevicePrimaryCtxReset, mt_effect_primary_ctx_reset, DEVICE_RESET, DEVICE, (CUdevice dev), (dev))               \
    X(cuDevicePrimaryCtxReset_v2, mt_effect_primary_ctx_reset, DEVICE_RESET, DEVICE, (CUdevice dev), (dev))            \
    X(cuCtxDetach, mt_effect_ctx_detach, CONTEXT_ENDED, DEVICE, (CUcontext ctx), (ctx))                                \
    X(cuGreenCtxCreate, mt_effect_green_ctx_create, CONTEXT_CREATED, DEVICE,                                           \
      (CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev, unsigned flags),                                       \
      (phCtx, desc, dev, flags))                                                                                       \
    X(cuGreenCtxDestroy, mt_effect_green_ctx_destroy, CONTEXT_ENDED, DEVICE, (CUgreenCtx hCtx), (hCtx))                \
    X(cuCtxSetLimit, mt_effect_set_limit, SAMPLED, DEVICE, (CUlimit limit, size_t value), (limit, value))              \
    X(cuCtxEnablePeerAccess, mt_effect_sampled, SAMPLED, DEVICE,                                                       \
      (CUcontext peerContext, unsigned Flags),                                                                         \
      (peerContext, Flags))                                                                                            \
    /* pools */                                                                                                        \
    X(cuMemPoolCreate, mt_effect_pool_create, POOL_CREATED, POOL,                                                      \
      (CUmemoryPool *pool, const CUmemPoolProps *poolProps),                                                           \
      (pool, poolProps))                                                                                               \
    X(cuMemPoolDestroy, mt_effect_pool_destroy, POOL_DESTROYED, POOL, (CUmemoryPool pool), (pool))                     \
    X(cuMemPoolTrimTo, mt_effect_pool_trim, POOL_CHANGED, POOL,                                                        \
      (CUmemoryPool pool, size_t minBytesToKeep),                                                                      \
      (pool, minBytesToKeep))                                                                                          \
    X(cuMemPoolSetAttribute, mt_effect_pool_set_attribute, POOL_CHANGED, POOL,                                         \
      (CUmemoryPool pool, CUmemPool_attribute attr, void *value),                                                      \
      (pool, attr, value))                                                                                             \
    X(cuMemPoolSetAccess, mt_effect_pool_set_access, POOL_CHANGED, POOL,                                               \
      (CUmemoryPool pool, const CUmemAccessDesc *map, size_t count),                                                   \
      (pool, map, count))                                                                                              \
    X(cuMemPoolExportToShareableHandle, mt_effect_pool_export, EXPORTED, POOL,                                         \
      (void *handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType, unsigned long long flags),           \
      (handle_out, pool, handleType, flags))                                                                           \
    X(cuMemPoolImportFromShareableHandle, mt_effect_pool_import, POOL_CREATED, IMPORTED,                               \
      (CUmemoryPool *pool_out, void *handle, CUmemAllocationHandleType handleType, unsigned long long flags),          \
      (pool_out, handle, handleType, flags))                                                                           \
    X(cuMemPoolExportPointer, mt_effect_pool_export_pointer, EXPORTED, POOL,                                           \
      (CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr),                                                        \
      (shareData_out, ptr))                                                                                            \
    X(cuMemPoolImportPointer, mt_effect_pool_import_pointer, IMPORTED, IMPORTED,                                       \
      (CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData),                                    \
      (ptr_out, pool, shareData))                                                                                      \
    X(cuDeviceSetMemPool, mt_effect_device_set_pool, POOL_CREATED, POOL,                                               \
      (CUdevice dev, CUmemoryPool pool),                                                                               \
      (dev, pool))                                                                                                     \
    X(cuDeviceGetMemPool, mt_effect_device_get_pool, POOL_CREATED, POOL,                                               \
      (CUmemoryPool *pool, CUdevice dev),                                                                              \
      (pool, dev))                                                                                                     \
    X(cuDeviceGetDefaultMemPool, mt_effect_device_get_default_pool, POOL_CREATED, POOL,                                \
      (CUmemoryPool *pool_out, CUdevice dev),                                                                          \
      (pool_out, dev))                                                                                                 \
    X(cuMemGetMemPool, mt_effect_location_get_pool, POOL_CREATED, POOL,                                                \
      (CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type),                                         \
      (pool, location, type))                                                                                          \
    X(cuMemGetDefaultMemPool, mt_effect_location_get_pool, POOL_CREATED, POOL,                                         \
      (CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type),                                     \
      (pool_out, location, type))                                                                                      \
    X(cuMemSetMemPool, mt_effect_location_set_pool, POOL_CREATED, POOL,                                                \
      (CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool),                                          \
      (location, type, pool))                                                                                          \
    /* virtual memory */                                                                                               \
    X(cuMemAddressReserve, mt_effect_address_reserve, RESERVED, ADDRESS,                                               \
      (CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags),                   \
      (ptr, size, alignment, addr, flags))                                                                             \
    X(cuMemAddressFree, mt_effect_address_free, UNRESERVED, ADDRESS, (CUdeviceptr ptr, size_t size), (ptr, size))      \
    X(cuMemCreate, mt_effect_physical_create, ALLOCATED, PHYSICAL,                                                     \
      (CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags),  \
      (handle, size, prop, flags))                                                                                     \
    X(cuMemRelease, mt_effect_physical_release, RELEASED, PHYSICAL, (CUmemGenericAllocationHandle handle), (handle))   \
    X(cuMemMap, mt_effect_map, MAPPED, PHYSICAL,                                                                       \
      (CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags),    \
      (ptr, size, offset, handle, flags))                                                                              \
    X(cuMemUnmap, mt_effect_unmap, UNMAPPED, PHYSICAL, (CUdeviceptr ptr, size_t size), (ptr, size))                    \
    X(cuMemSetAccess, mt_effect_set_access, NONE, PHYSICAL,                                                            \
      (CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count),                                       \
      (ptr, size, desc, count))                                                                                        \
    X(cuMemRetainAllocationHandle, mt_effect_retain_handle, RETAINED, PHYSICAL,                                        \
      (CUmemGenericAllocationHandle *handle, void *addr),                                                              \
      (handle, addr))                                                                                                  \
    X(cuMemExportToShareableHandle, mt_effect_export_handle, EXPORTED, PHYSICAL,                                       \
      (void *shareableHandle, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType handleType,               \
       unsigned long long flags),                                                                                      \
      (shareableHandle, handle, handleType, flags))                                                                    \
    X(cuMemImportFromShareableHandle, mt_effect_import_handle, IMPORTED, IMPORTED,                                     \
      (CUmemGenericAllocationHandle *handle, void *osHandle, CUmemAllocationHandleType shHandleType),                  \
      (handle, osHandle, shHandleType))                                                                                \
    S(cuMemMapArrayAsync, mt_effect_map_array, MAPPED, PHYSICAL,                                                       \
      (CUarrayMapInfo *mapInfoList, unsigned count, CUstream hStream),                                                 \
      (mapInfoList, count, hStream))                                                                                   \
    /* arrays */                                                                                                       \
    X(cuArrayCreate, mt_effect_array_create_v1, ALLOCATED, ARRAY,                                                      \
      (CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray),                                              \
      (pHandle, pAllocateArray))                                                                                       \
    X(cuArrayCreate_v2, mt_effect_array_create, ALLOCATED, ARRAY,                                                      \
      (CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray),                                                 \
      (pHandle, pAllocateArray))                                                                                       \
    X(cuArray3DCreate, mt_effect_array_create_3d_v1, ALLOCATED, ARRAY,                                                 \
      (CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray),                                            \
      (pHandle, pAllocateArray))                                                                                       \
    X(cuArray3DCreate_v2, mt_effect_array_create_3d, ALLOCATED, ARRAY,                                                 \
      (CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray),                                               \
      (pHandle, pAllocateArray))                                                                                       \
    X(cuArrayDestroy, mt_effect_array_destroy, FREED, ARRAY, (CUarray hArray), (hArray))                               \
    X(cuMipmappedArrayCreate, mt_effect_mipmapped_create, ALLOCATED, ARRAY,                                            \
      (CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc, unsigned numMipmapLevels),       \
      (pHandle, pMipmappedArrayDesc, numMipmapLevels))                                                                 \
    X(cuMipmappedArrayDestroy, mt_effect_mipmapped_destroy, FREED, ARRAY,                                              \
      (CUmipmappedArray hMipmappedArray),                                                                              \
      (hMipmappedArray))                                                                                               \
    /* memory of other processes and interfaces */                                                                     \
    X(cuIpcGetMemHandle, mt_effect_ipc_get, EXPORTED, DEVICE,                                                          \
      (CUipcMemHandle *pHandle, CUdeviceptr dptr),                                                                     \
      (pHandle, dptr))                                                                                                 \
    X(cuIpcOpenMemHandle, mt_effect_ipc_open, IMPORTED, IMPORTED,                                                      \
      (CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned Flags),                                                     \
      (pdptr, handle, Flags))                                                                                          \
    X(cuIpcOpenMemHandle_v2, mt_effect_ipc_open, IMPORTED, IMPORTED,                                                   \
      (CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned Flags),                                                     \
      (pdptr, handle, Flags))                                                                                          \
    X(cuIpcCloseMemHandle, mt_effect_ipc_close, CLOSED, IMPORTED, (CUdeviceptr dptr), (dptr))                          \
    X(cuImportExternalMemory, mt_effect_external_import, IMPORTED, IMPORTED,                                           \
      (CUexternalMemory *extMem_out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc),                           \
      (extMem_out, memHandleDesc))                                                                                     \
    X(cuExternalMemoryGetMappedBuffer, mt_effect_external_buffer, IMPORTED, IMPORTED,                                  \
      (CUdeviceptr *devPtr, CUexternalMemory extMem, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc),              \
      (devPtr, extMem, bufferDesc))                                                                                    \
    X(cuExternalMemoryGetMappedMipmappedArray, mt_effect_external_mipmapped, IMPORTED, IMPORTED,                       \
      (CUmipmappedArray *mipmap, CUexternalMemory extMem,                                                              \
       const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc),                                                   \
      (mipmap, extMem, mipmapDesc))                                                                                    \
    X(cuDestroyExternalMemory, mt_effect_external_destroy, CLOSED, IMPORTED, (CUexternalMemory extMem), (extMem))      \
    X(cuMulticastCreate, mt_effect_multicast_create, MULTICAST, ADDRESS,                                               \
      (CUmemGenericAllocationHandle *mcHandle, const CUmulticastObjectProp *prop),                                     \
      (mcHandle, prop))                                                                                                \
    X(cuMulticastAddDevice, mt_effect_multicast_add, MULTICAST, ADDRESS,                                               \
      (CUmemGenericAllocationHandle mcHandle, CUdevice dev),                                                           \
      (mcHandle, dev))                                                                                                 \
    X(cuMulticastBindMem, mt_effect_multicast_bind, MULTICAST, ADDRESS,                                                \
      (CUmemGenericAllocationHandle mcHandle, size_t mcOffset, CUmemGenericAllocationHandle memHandle,                 \
       size_t memOffset, size_t size, unsigned long long flags),                                                       \
      (mcHandle, mcOffset, memHandle, memOffset, size, flags))                                                         \
    X(cuMulticastBindAddr, mt_effect_multicast_bind_address, MULTICAST, ADDRESS,                                       \
      (CUmemGenericAllocationHandle mcHandle, size_t mcOffset, CUdeviceptr memptr, size_t size,                        \
       unsigned long long flags),                                                                                      \
      (mcHandle, mcOffset, memptr, size, flags))                                                                       \
    X(cuMulticastUnbind, mt_effect_multicast_unbind, MULTICAST, ADDRESS,                                               \
      (CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset, size_t size),                             \
      (mcHandle, dev, mcOffset, size))                                                                                 \
    /* graphs */                                                                                                       \
    X(cuGraphAddMemAllocNode, mt_effect_graph_add_alloc, CAPTURED, GRAPH,                                              \
      (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,              \
       CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams),                                                                        \
      (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))                                                \
    X(cuGraphAddMemFreeNode, mt_effect_graph_add_free, CAPTURED, GRAPH,                                                \
      (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,              \
       CUdeviceptr dptr),                                                                                              \
      (phGraphNode, hGraph, dependencies, numDependencies, dptr))                                                      \
    X(cuGraphAddNode, mt_effect_graph_add_node, CAPTURED, GRAPH,                                                       \
      (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,              \
       CUgraphNodeParams *nodeParams),                                                                                 \
      (phGraphNode, hGraph, dependencies, numDependencies, nodeParams))                                                \
    X(cuGraphAddNode_v2, mt_effect_graph_add_node_v2, CAPTURED, GRAPH,                                                 \
      (CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,                                      \
       const CUgraphEdgeData *dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams),                  \
      (phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams))                                \
    X(cuGraphInstantiate, mt_effect_graph_instantiate, GRAPH, GRAPH,                                                   \
      (CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize),        \
      (phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize))                                                       \
    X(cuGraphInstantiate_v2, mt_effect_graph_instantiate, GRAPH, GRAPH,                                                \
      (CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize),        \
      (phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize))                                                       \
    X(cuGraphInstantiateWithFlags, mt_effect_graph_instantiate_flags, GRAPH, GRAPH,                                    \
      (CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags),                                            \
      (phGraphExec, hGraph, flags))                                                                                    \
    S(cuGraphInstantiateWithParams, mt_effect_graph_instantiate_params, GRAPH, GRAPH,                                  \
      (CUgraphExec *phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams),                    \
      (phGraphExec, hGraph, instantiateParams))                                                                        \
    S(cuGraphUpload, mt_effect_graph_upload, GRAPH, GRAPH, (CUgraphExec hGraph, CUstream hStream), (hGraph, hStream))  \
    S(cuGraphLaunch, mt_effect_graph_launch, GRAPH, GRAPH, (CUgraphExec hGraph, CUstream hStream), (hGraph, hStream))  \
    X(cuGraphExecDestroy, mt_effect_graph_exec_destroy, GRAPH, GRAPH, (CUgraphExec hGraphExec), (hGraphExec))          \
    X(cuGraphDestroy, mt_effect_graph_destroy, GRAPH, GRAPH, (CUgraph hGraph), (hGraph))                               \
    X(cuDeviceGraphMemTrim, mt_effect_graph_trim, GRAPH, GRAPH, (CUdevice device), (device))                           \
    /* code, and what else takes device memory on the side */                                                          \
    X(cuModuleLoad, mt_effect_module_load, LOADED, DEVICE, (CUmodule *module, const char *fname), (module, fname))     \
    X(cuModuleLoadData, mt_effect_module_load, LOADED, DEVICE, (CUmodule *module, const void *image), (module, image)) \
    X(cuModuleLoadDataEx, mt_effect_module_load, LOADED, DEVICE,                                                       \
      (CUmodule *module, const void *image, unsigned numOptions, CUjit_option *options, void **optionValues),          \
      (module, image, numOptions, options, optionValues))                                                              \
    X(cuModuleLoadFatBinary, mt_effect_module_load, LOADED, DEVICE,                                                    \
      (CUmodule *module, const void *fatCubin),                                                                        \
      (module, fatCubin))                                                                                              \
    X(cuModuleUnload, mt_effect_module_unload, UNLOADED, DEVICE, (CUmodule hmod), (hmod))                              \
    X(cuLibraryLoadData, mt_effect_library_load, LOADED, DEVICE,                                                       \
      (CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,                        \
       unsigned numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,                            \
       unsigned numLibraryOptions),                                                                                    \
      (library, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,                \
       numLibraryOptions))                                                                                             \
    X(cuLibraryLoadFromFile, mt_effect_library_load, LOADED, DEVICE,                                                   \
      (CUlibrary *library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues,                    \
       unsigned numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,                            \
       unsigned numLibraryOptions),                                                                                    \
      (library, fileName, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,            \
       numLibraryOptions))                                                                                             \
    X(cuLibraryUnload, mt_effect_library_unload, UNLOADED, DEVICE, (CUlibrary library), (library))                     \
    X(cuModuleGetFunction, mt_effect_module_get_function, NONE, NONE,                                                  \
      (CUfunction *hfunc, CUmodule hmod, const char *name),                                                            \
      (hfunc, hmod, name))                                                                                             \
    X(cuLibraryGetKernel, mt_effect_library_get_kernel, NONE, NONE,                                                    \
      (CUkernel *pKernel, CUlibrary library, const char *name),                                                        \
      (pKernel, library, name))                                                                                        \
    X(cuKernelGetFunction, mt_effect_kernel_get_function, SAMPLED, DEVICE, (CUfunction *pFunc, CUkernel kernel), (pFunc, kernel))  \
    X(cuLibraryGetModule, mt_effect_sampled, SAMPLED, DEVICE, (CUmodule *pMod, CUlibrary library), (pMod, library))    \
    X(cuLibraryGetGlobal, mt_effect_sampled, SAMPLED, DEVICE,                                                          \
      (CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name),                                         \
      (dptr, bytes, library, name))                                                                                    \
    X(cuLibraryGetManaged, mt_effect_sampled, SAMPLED, DEVICE,                                                         \
      (CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name),                                         \
      (dptr, bytes, library, name))                                                                                    \
    X(cuFuncLoad, mt_effect_sampled, SAMPLED, DEVICE, (CUfunction function), (function))                               \
    X(cuStreamCreate, mt_effect_sampled, SAMPLED, DEVICE, (CUstream *phStream, unsigned Flags), (phStream, Flags))     \
    X(cuStreamCreateWithPriority, mt_effect_sampled, SAMPLED, DEVICE,                                                  \
      (CUstream *phStream, unsigned flags, int priority),                                                              \
      (phStream, flags, priority))                                                                                     \
    X(cuGreenCtxStreamCreate, mt_effect_sampled, SAMPLED, DEVICE,                                                      \
      (CUstream *phStream, CUgreenCtx greenCtx, unsigned flags, int priority),                                         \
      (phStream, greenCtx, flags, priority))                                                                           \
    /* what changes memory as a side effect, or keeps us from asking */                                                \
    S(cuStreamSynchronize, mt_effect_synchronize, NONE, NONE, (CUstream hStream), (hStream))                           \
    X(cuEventSynchronize, mt_effect_synchronize, NONE, NONE, (CUevent hEvent), (hEvent))                               \
    X(cuCtxSynchronize, mt_effect_synchronize, NONE, NONE, (void), ())                                                 \
    X(cuCtxSynchronize_v2, mt_effect_synchronize, NONE, NONE, (CUcontext ctx), (ctx))                                  \
    S(cuStreamBeginCapture, mt_effect_capture_begin, NONE, NONE, (CUstream hStream), (hStream))                        \
    S(cuStreamBeginCapture_v2, mt_effect_capture_begin, NONE, NONE, (CUstream hStream, CUstreamCaptureMode mode),      \
      (hStream, mode))                                                                                                 \
    S(cuStreamBeginCaptureToGraph, mt_effect_capture_begin, NONE, NONE,                                                \
      (CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,       \
       size_t numDependencies, CUstreamCaptureMode mode),                                                              \
      (hStream, hGraph, dependencies, dependencyData, numDependencies, mode))                                          \
    S(cuStreamEndCapture, mt_effect_capture_end, NONE, NONE, (CUstream hStream, CUgraph *phGraph), (hStream, phGraph)) \
    X(cuStreamDestroy, mt_effect_stream_destroy, NONE, NONE, (CUstream hStream), (hStream))                            \
    X(cuStreamDestroy_v2, mt_effect_stream_destroy, NONE, NONE, (CUstream hStream), (hStream))
// clang-format on

#endif
