// Translations of parameters that several files need: of copies and of kernel nodes.
#ifndef SIM_RUNTIME_TRANSLATE_H
#define SIM_RUNTIME_TRANSLATE_H

#include "tests/simcuda/runtime/runtime.h"

// A runtime's 3D copy as the driver's, for copies and for graph nodes.
cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *params, CUDA_MEMCPY3D *copy);
// A runtime's kernel node as the driver's.
cudaError_t rt_kernel_node(const struct cudaKernelNodeParams *params, CUDA_KERNEL_NODE_PARAMS *node);

#endif
