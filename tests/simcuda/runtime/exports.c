// The exported runtime functions: each row of api.h becomes the function and, where it has one, its per-thread-stream
// twin. A call reports its start, makes ready what it needs, does its work, keeps an error for cudaGetLastError and
// reports its end.
#include "tests/simcuda/runtime/runtime.h"
#include <cuda_profiler_api.h>
#include <cupti_runtime_cbid.h>
#include <generated_cuda_runtime_api_meta.h>

#define EXPORT    __attribute__((visibility("default")))
#define LIST(...) __VA_ARGS__

static const char *kernel_symbol(uint32_t callback_id, const void *params) {
    const void *function;
    switch (callback_id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000:
        function = ((const cudaLaunchKernel_v7000_params *)params)->func;
        break;
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060:
        function = ((const cudaLaunchKernelExC_v11060_params *)params)->func;
        break;
    default:
        return NULL;
    }
    CUkernel kernel;
    return rt_kernel(function, &kernel) == cudaSuccess ? rt_bridge()->kernel_name(kernel) : NULL;
}

static cudaError_t enter(struct simcuda_call *call, enum rt_need need) {
    const struct simcuda_bridge *bridge = rt_bridge();
    call->domain = CUPTI_CB_DOMAIN_RUNTIME_API;
    if (bridge && bridge->is_enabled(call->domain, call->callback_id))
        call->symbol = kernel_symbol(call->callback_id, call->params);
    if (bridge) bridge->enter(call);
    return rt_prepare(need);
}

static cudaError_t leave(struct simcuda_call *call, cudaError_t error) {
    if (rt_bridge()) rt_bridge()->leave(call, &error);
    return error;
}

#define BODY(needed, id, symbol, arguments, implement)                                                                 \
    struct simcuda_call call_ = {.callback_id = CUPTI_RUNTIME_TRACE_CBID_##id, .name = #symbol, .params = arguments};  \
    cudaError_t error_ = enter(&call_, needed);                                                                        \
    if (error_ == cudaSuccess)                                                                                         \
        error_ = implement;                                                                                            \
    else                                                                                                               \
        rt_remember(error_);                                                                                           \
    return leave(&call_, error_);

#define DEFINE(need, symbol, id, params, args, implement)                                                              \
    EXPORT cudaError_t CUDARTAPI symbol params {                                                                       \
        id##_params arguments_ = {LIST args};                                                                          \
        BODY(need, id, symbol, &arguments_, implement)                                                                 \
    }

#define SIM_RUNTIME_VOID(need, name, version)                                                                          \
    EXPORT cudaError_t CUDARTAPI name(void) {                                                                          \
        BODY(need, name##_v##version, name, NULL, rt_##name())                                                         \
    }
#define SIM_RUNTIME(need, name, version, params, args)                                                                 \
    DEFINE(need, name, name##_v##version, params, args, rt_remember(rt_##name args))
#define SIM_RUNTIME_TWIN(need, name, version, suffix, twin_version, params, args)                                      \
    DEFINE(need, name, name##_v##version, params, args, rt_remember(rt_##name args))                                   \
    static cudaError_t name##_per_thread params {                                                                      \
        bool before = rt_set_per_thread(true);                                                                         \
        cudaError_t error = rt_remember(rt_##name args);                                                               \
        rt_set_per_thread(before);                                                                                     \
        return error;                                                                                                  \
    }                                                                                                                  \
    DEFINE(need, name##suffix, name##suffix##_v##twin_version, params, args, name##_per_thread args)
#include "tests/simcuda/runtime/api.h"
