// What the files that copy share.
#ifndef SIM_RUNTIME_COPY_H
#define SIM_RUNTIME_COPY_H

#include "tests/simcuda/runtime/runtime.h"

// A runtime's 3D copy as the driver's, for copies and for graph nodes.
cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *params, CUDA_MEMCPY3D *copy);

#endif
