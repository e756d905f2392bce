/*
 * A plug-in that is loaded with RTLD_DEEPBIND: its calls go to the libraries that it is linked against, and past
 * whatever is preloaded.
 */
#include <cuda.h>
#include <cupti.h>

CUptiResult deepbound_finalize(void);
CUresult deepbound_init(void);
CUresult deepbound_context(CUcontext *context);
CUresult deepbound_alloc(CUdeviceptr *address, size_t bytes);
CUresult deepbound_free(CUdeviceptr address);

CUptiResult deepbound_finalize(void) {
    return cuptiFinalize();
}

CUresult deepbound_init(void) {
    return cuInit(0);
}

CUresult deepbound_context(CUcontext *context) {
    CUresult result = cuDevicePrimaryCtxRetain(context, 0);
    return result == CUDA_SUCCESS ? cuCtxSetCurrent(*context) : result;
}

CUresult deepbound_alloc(CUdeviceptr *address, size_t bytes) {
    return cuMemAlloc(address, bytes);
}

CUresult deepbound_free(CUdeviceptr address) {
    return cuMemFree(address);
}
