// SIMCUDA_FAIL: chosen calls fail.
#ifndef SIM_FAULTS_H
#define SIM_FAULTS_H

#include <cuda.h>

// Counts a call of that entry point; what it is to fail with, or CUDA_SUCCESS.
CUresult sim_fault(const char *entry_point);

#endif
