// Every runtime function of the simulated device that has a callback, listed once; expanded into the exported functions
// (exports.c) and the declarations of what implements them (runtime.h).
//
//   SIM_RUNTIME(need, name, version, (parameters), (arguments))
//     need     what is made ready before: NONE, INIT (the driver), CONTEXT (a context current to the thread)
//     version  in the names of its parameter structure and callback id: cudaMalloc_v3020
//   SIM_RUNTIME_VOID(need, name, version)              takes no parameter
//   SIM_RUNTIME_TWIN(need, name, version, suffix, twin_version, …)   also exported as name_ptsz or name_ptds
//
// No include guard: define the macros wanted, then include; all are undefined at the end.
#ifndef SIM_RUNTIME_VOID
#define SIM_RUNTIME_VOID(need, name, version) SIM_RUNTIME(need, name, version, (void), ())
#endif
#ifndef SIM_RUNTIME_TWIN
#define SIM_RUNTIME_TWIN(need, name, version, suffix, twin_version, params, args)                                      \
    SIM_RUNTIME(need, name, version, params, args)
#endif

#include "tests/simcuda/runtime/api_core.h"
#include "tests/simcuda/runtime/api_graph.h"
#include "tests/simcuda/runtime/api_memory.h"
#include "tests/simcuda/runtime/api_sharing.h"

#undef SIM_RUNTIME
#undef SIM_RUNTIME_VOID
#undef SIM_RUNTIME_TWIN
