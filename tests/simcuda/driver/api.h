// Every driver entry point of the simulated device, listed once. The list is expanded into the exported functions with
// their callbacks (exports.c), the declarations of what implements them (below) and the table of cuGetProcAddress.
//
//   SIM_API(need, version, name, (parameters), (arguments))
//     need     what must be there before: NONE, INIT (cuInit done), CONTEXT (a context current to the thread)
//     version  the CUDA version that brought this form, as cuGetProcAddress is asked for it
//     name     the exported symbol, its _v2 included; sim_##name implements it, and runs only if the need is met
//   SIM_API_VOID(need, version, name)                  takes no parameter
//   SIM_API_STREAM(…, stream)                          also exported as name_ptsz, where a null `stream` is per-thread
//   SIM_API_PTSZ, SIM_API_PTDS                         also exported with that suffix, and the same meaning
//
// No include guard: define the macros wanted, then include; all are undefined at the end.
#ifndef SIM_API_VOID
#define SIM_API_VOID(need, version, name) SIM_API(need, version, name, (void), ())
#endif
#ifndef SIM_API_STREAM
#define SIM_API_STREAM(need, version, name, params, args, stream) SIM_API(need, version, name, params, args)
#endif
#ifndef SIM_API_PTSZ
#define SIM_API_PTSZ(need, version, name, params, args) SIM_API(need, version, name, params, args)
#endif
#ifndef SIM_API_PTDS
#define SIM_API_PTDS(need, version, name, params, args) SIM_API(need, version, name, params, args)
#endif

#include "tests/simcuda/driver/api_device.h"
#include "tests/simcuda/driver/api_execution.h"
#include "tests/simcuda/driver/api_graph.h"
#include "tests/simcuda/driver/api_green.h"
#include "tests/simcuda/driver/api_memory.h"
#include "tests/simcuda/driver/api_stream.h"
#include "tests/simcuda/driver/api_virtual.h"

#undef SIM_API
#undef SIM_API_VOID
#undef SIM_API_STREAM
#undef SIM_API_PTSZ
#undef SIM_API_PTDS
