// What every file of the simulated libcudart needs: the implementations' declarations, one a row of api.h, the driver
// it sits on, and what makes it ready. (rules.mk defines __CUDA_API_VERSION_INTERNAL: the headers then declare each
// form of a function under its own name.)
#ifndef SIM_RUNTIME_H
#define SIM_RUNTIME_H

#include "tests/simcuda/bridge.h"
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

#define SIM_RUNTIME(need, name, version, params, args) cudaError_t rt_##name params;
#include "tests/simcuda/runtime/api.h"

// The driver's functions, as cuGetProcAddress returned them; NULL where the driver is older.
struct rt_driver {
#define RT_DRIVER(name, version) PFN_##name##_v##version name;
#include "tests/simcuda/runtime/driver_list.h"
};

enum rt_need { NONE, INIT, CONTEXT };

// The driver's functions for the kind of default stream that the call under way is for.
const struct rt_driver *rt_driver(void);
// Loads the driver's library. NULL: there is none.
const struct simcuda_bridge *rt_bridge(void);
// From here on, calls of this thread are for that kind of default stream. Returns the kind before.
bool rt_set_per_thread(bool per_thread);
// Makes ready what a call needs.
cudaError_t rt_prepare(enum rt_need need);
// The device chosen by the thread; the context of a device, made if need be.
int rt_device(void);
cudaError_t rt_context_of(int device, CUcontext *context);

// Remembers an error for cudaGetLastError, and returns it.
cudaError_t rt_remember(cudaError_t error);

static inline cudaError_t rt_error(CUresult result) {
    return (cudaError_t)result; // the numbers are the same
}

// registry.c: the kernel and the variable behind a host symbol.
cudaError_t rt_kernel(const void *function, CUkernel *kernel);
cudaError_t rt_variable(const void *symbol, CUdeviceptr *address, size_t *bytes);

// array.c
CUarray_format rt_array_format(const struct cudaChannelFormatDesc *desc, unsigned *channels);

#endif
