// The exported driver functions: each row of api.h becomes the function and, where it has one, its per-thread-stream
// twin. A call reports its start, checks what it needs, lets an injected fault or the implementation answer, and
// reports its end.
#include "tests/simcuda/driver/config.h"
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/faults.h"
#include "tests/simcuda/driver/module.h"
#include "tests/simcuda/driver/tools.h"
#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

enum need { NONE, INIT, CONTEXT };

#define EXPORT    __attribute__((visibility("default")))
#define LIST(...) __VA_ARGS__

static CUresult enter(struct simcuda_call *call, enum need need) {
    call->domain = CUPTI_CB_DOMAIN_DRIVER_API;
    if (sim_tools_wants(CUPTI_CB_DOMAIN_DRIVER_API, call->callback_id))
        call->symbol = sim_launch_symbol(call->callback_id, call->params);
    sim_tools_enter(call);
    CUresult result = need == NONE ? CUDA_SUCCESS : sim_ready();
    if (result == CUDA_SUCCESS && need == CONTEXT) result = sim_context_check_current();
    if (result == CUDA_SUCCESS) result = sim_fault(call->name);
    return result;
}

static CUresult leave(struct simcuda_call *call, CUresult result) {
    sim_tools_leave(call, &result);
    return result;
}

// What a call of `symbol` does; `implement` is the expression that does the work.
#define BODY(needed, symbol, arguments, implement)                                                                     \
    struct simcuda_call call_ = {                                                                                      \
        .callback_id = CUPTI_DRIVER_TRACE_CBID_##symbol, .name = #symbol, .params = arguments};                        \
    CUresult result_ = enter(&call_, needed);                                                                          \
    if (result_ == CUDA_SUCCESS) result_ = implement;                                                                  \
    return leave(&call_, result_);

#define DEFINE(need, symbol, params, args, implement)                                                                  \
    EXPORT CUresult CUDAAPI symbol params {                                                                            \
        symbol##_params arguments_ = {LIST args};                                                                      \
        BODY(need, symbol, &arguments_, implement)                                                                     \
    }

#define SIM_API(need, version, name, params, args) DEFINE(need, name, params, args, sim_##name args)
#define SIM_API_VOID(need, version, name)                                                                              \
    EXPORT CUresult CUDAAPI name(void) {                                                                               \
        BODY(need, name, NULL, sim_##name())                                                                           \
    }
#define SIM_API_STREAM(need, version, name, params, args, stream)                                                      \
    DEFINE(need, name, params, args, sim_##name args)                                                                  \
    DEFINE(need, name##_ptsz, params, args, (stream = stream ? stream : CU_STREAM_PER_THREAD, sim_##name args))
#define SIM_API_PTSZ(need, version, name, params, args)                                                                \
    DEFINE(need, name, params, args, sim_##name args)                                                                  \
    DEFINE(need, name##_ptsz, params, args, sim_##name args)
#define SIM_API_PTDS(need, version, name, params, args)                                                                \
    DEFINE(need, name, params, args, sim_##name args)                                                                  \
    DEFINE(need, name##_ptds, params, args, sim_##name args)
#include "tests/simcuda/driver/api.h"
