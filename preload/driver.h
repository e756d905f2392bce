/*
 * The few functions of the CUDA driver that the tracer itself calls, found in the libcuda of the process. Each is NULL
 * where that driver has none: test before calling. The process links no libcuda through us.
 *
 * Who calls one must hold the guard (guard.h), so that the call is not traced, and must not while a stream captures
 * (effects/capture.h), except for those that are about a stream alone; questions about memory go between mt_ask_begin
 * and mt_ask_end.
 */
#ifndef MEMTRACE_PRELOAD_DRIVER_H
#define MEMTRACE_PRELOAD_DRIVER_H

#include "preload/newer_cuda.h"

// name here, symbol, parameters
#define MT_DRIVER_FUNCTIONS(X)                                                                                         \
    X(driver_get_version, "cuDriverGetVersion", (int *version))                                                        \
    X(device_get_count, "cuDeviceGetCount", (int *count))                                                              \
    X(device_get_name, "cuDeviceGetName", (char *name, int bytes, CUdevice device))                                    \
    X(device_total_mem, "cuDeviceTotalMem_v2", (size_t * bytes, CUdevice device))                                      \
    X(device_get_uuid, "cuDeviceGetUuid", (CUuuid * uuid, CUdevice device))                                            \
    X(device_get_uuid_v2, "cuDeviceGetUuid_v2", (CUuuid * uuid, CUdevice device))                                      \
    X(device_get_mem_pool, "cuDeviceGetMemPool", (CUmemoryPool * pool, CUdevice device))                               \
    X(primary_ctx_get_state, "cuDevicePrimaryCtxGetState", (CUdevice device, unsigned *flags, int *active))            \
    X(ctx_get_current, "cuCtxGetCurrent", (CUcontext * context))                                                       \
    X(ctx_get_device, "cuCtxGetDevice", (CUdevice * device))                                                           \
    X(ctx_push_current, "cuCtxPushCurrent_v2", (CUcontext context))                                                    \
    X(ctx_pop_current, "cuCtxPopCurrent_v2", (CUcontext * context))                                                    \
    X(mem_get_info, "cuMemGetInfo_v2", (size_t * unused, size_t * total))                                              \
    X(stream_get_ctx, "cuStreamGetCtx", (CUstream stream, CUcontext * context))                                        \
    X(stream_is_capturing, "cuStreamIsCapturing", (CUstream stream, CUstreamCaptureStatus * status))                   \
    X(stream_get_capture_info_v2, "cuStreamGetCaptureInfo_v2",                                                         \
      (CUstream stream, CUstreamCaptureStatus * status, cuuint64_t * id, CUgraph * graph,                              \
       const CUgraphNode **dependencies, size_t *dependency_count))                                                    \
    X(thread_exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", (CUstreamCaptureMode * mode))                 \
    X(mem_pool_get_attribute, "cuMemPoolGetAttribute",                                                                 \
      (CUmemoryPool pool, CUmemPool_attribute attribute, void *value))                                                 \
    X(mem_get_address_range, "cuMemGetAddressRange_v2", (CUdeviceptr * base, size_t * bytes, CUdeviceptr address))     \
    X(device_get_graph_mem_attribute, "cuDeviceGetGraphMemAttribute",                                                  \
      (CUdevice device, CUgraphMem_attribute attribute, void *value))                                                  \
    X(func_get_name, "cuFuncGetName", (const char **name, CUfunction function))                                        \
    X(kernel_get_name, "cuKernelGetName", (const char **name, CUkernel kernel))

struct mt_driver {
#define X(name, symbol, parameters) CUresult(CUDAAPI *name) parameters;
    MT_DRIVER_FUNCTIONS(X)
#undef X
    const void *anchor; // an address inside libcuda; NULL when it is not loaded
};

// Filled by mt_driver_start, constant afterwards.
extern struct mt_driver mt_driver;

// Looks them up in the libcuda that is loaded; never loads one. Once, before the first event.
void mt_driver_start(void);

#endif
