// The functions that nvcc's generated host code calls, which no public header of C declares (crt/host_runtime.h is
// C++).
#ifndef SIM_NVCC_ABI_H
#define SIM_NVCC_ABI_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void **__cudaRegisterFatBinary(void *fatCubin);
EXPORT void __cudaRegisterFatBinaryEnd(void **fatCubinHandle);
EXPORT void __cudaUnregisterFatBinary(void **fatCubinHandle);
EXPORT void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun, const char *deviceName,
                                   int thread_limit, uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize);
EXPORT void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress, const char *deviceName,
                              int ext, size_t size, int constant, int global);
EXPORT void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                                     const char *deviceName, int ext, size_t size, int constant, int global);
EXPORT void __cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar, size_t size);
EXPORT void __cudaRegisterUnifiedTable(void **fatCubinHandle, void *table);
EXPORT char __cudaInitModule(void **fatCubinHandle);

EXPORT unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, void *stream);
EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream);
EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                      cudaStream_t stream);
EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                                           size_t sharedMem, cudaStream_t stream);

#endif
