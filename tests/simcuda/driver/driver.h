// What every file of the simulated libcuda needs: the CUDA types with all their versions, and the implementations'
// declarations, one a row of api.h. (rules.mk defines __CUDA_API_VERSION_INTERNAL: cuda.h then declares each form of a
// function under its own name.)
#ifndef SIM_DRIVER_H
#define SIM_DRIVER_H

#include <cuda.h>
#include <cudaProfiler.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_API(need, version, name, params, args) CUresult sim_##name params;
#include "tests/simcuda/driver/api.h"

// One lock for the state of all devices. Short: never held while a kernel, a copy, a callback or another library runs.
void sim_lock(void);
void sim_unlock(void);

// Success, or why no call can succeed: not initialised (also in a forked child), or the process is exiting.
CUresult sim_ready(void);

#endif
