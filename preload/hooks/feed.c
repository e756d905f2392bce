/*
 * The hook feed: for every entry point of the list two functions of its very signature that call the real one and then
 * hand the call to the same effect function as CUPTI's callback would. The outer ones are exported under the driver's
 * names, so that a program linked against libcuda calls them; programs that look functions up get them from
 * hooks/lookup.c. A hook is boring: enter, real call, record, leave.
 */
#include <cupti.h>

#include "preload/entry_table.h"
#include "preload/hooks/call.h"
#include "preload/hooks/table.h"

// A call without parameters has no struct there.
struct no_parameters {
    char none;
};
#define cuCtxSynchronize_params struct no_parameters

#define UNPACK(...) __VA_ARGS__

// The parameter structs list the parameters in order, so the arguments are their initialiser.
#define HOOK(function, row, layer, params_type, parameters, arguments)                                                 \
    CUresult CUDAAPI function parameters;                                                                              \
    CUresult CUDAAPI function parameters {                                                                             \
        CUresult(CUDAAPI *real) parameters;                                                                            \
        struct mt_hook hook;                                                                                           \
        *(void **)&real = mt_hook_begin(&hook, row, layer);                                                            \
        if (!real) return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;                                                   \
        if (mt_entry_before(row)) {                                                                                    \
            const params_type params = {UNPACK arguments};                                                             \
            mt_entry_begin(row, &params);                                                                              \
        }                                                                                                              \
        CUresult result = real arguments;                                                                              \
        if (mt_hook_end(&hook, row, result)) {                                                                         \
            const params_type params = {UNPACK arguments};                                                             \
            mt_hook_handle(&hook, row, &params, result);                                                               \
        }                                                                                                              \
        return result;                                                                                                 \
    }

// Names of our own in C, the driver's names for the linker: cuda.h has macros and declarations of those.
#define EXPORTED(function, symbol, parameters)                                                                         \
    CUresult CUDAAPI function parameters __asm__(symbol) __attribute__((visibility("default")));

#define X(name, effect, default_effect, memory, parameters, arguments)                                                 \
    EXPORTED(outer_##name, #name, parameters)                                                                          \
    HOOK(inner_##name, MT_ENTRY_##name, MT_HOOK_INNER, name##_params, parameters, arguments)                           \
    HOOK(outer_##name, MT_ENTRY_##name, MT_HOOK_OUTER, name##_params, parameters, arguments)
#define S(name, effect, default_effect, memory, parameters, arguments)                                                 \
    EXPORTED(outer_##name, #name, parameters)                                                                          \
    EXPORTED(outer_##name##_ptsz, #name "_ptsz", parameters)                                                           \
    HOOK(inner_##name, MT_ENTRY_##name, MT_HOOK_INNER, name##_params, parameters, arguments)                           \
    HOOK(outer_##name, MT_ENTRY_##name, MT_HOOK_OUTER, name##_params, parameters, arguments)                           \
    HOOK(inner_##name##_ptsz, MT_ENTRY_##name##_ptsz, MT_HOOK_INNER, name##_params, parameters, arguments)             \
    HOOK(outer_##name##_ptsz, MT_ENTRY_##name##_ptsz, MT_HOOK_OUTER, name##_params, parameters, arguments)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
MT_ENTRY_POINTS(X, S)
#pragma GCC diagnostic pop
#undef X
#undef S

#define X(name, ...) {(void *)inner_##name, (void *)outer_##name},
#define S(name, ...)                                                                                                   \
    {(void *)inner_##name, (void *)outer_##name}, {(void *)inner_##name##_ptsz, (void *)outer_##name##_ptsz},
void *const mt_hooks[][MT_HOOK_LAYERS] = {MT_ENTRY_POINTS(X, S)};
