// Libraries loaded at run time: the driver's, under the runtime's names.
#include "tests/simcuda/runtime/runtime.h"

cudaError_t rt_cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions,
                                   void **jitOptionsValues, unsigned int numJitOptions,
                                   enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                                   unsigned int numLibraryOptions) {
    return rt_error(rt_driver()->cuLibraryLoadData((CUlibrary *)library, code, (CUjit_option *)jitOptions,
                                                   jitOptionsValues, numJitOptions, (CUlibraryOption *)libraryOptions,
                                                   libraryOptionValues, numLibraryOptions));
}

cudaError_t rt_cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName, enum cudaJitOption *jitOptions,
                                       void **jitOptionsValues, unsigned int numJitOptions,
                                       enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                                       unsigned int numLibraryOptions) {
    return rt_error(rt_driver()->cuLibraryLoadFromFile(
        (CUlibrary *)library, fileName, (CUjit_option *)jitOptions, jitOptionsValues, numJitOptions,
        (CUlibraryOption *)libraryOptions, libraryOptionValues, numLibraryOptions));
}

cudaError_t rt_cudaLibraryUnload(cudaLibrary_t library) {
    return rt_error(rt_driver()->cuLibraryUnload((CUlibrary)library));
}

cudaError_t rt_cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name) {
    return rt_error(rt_driver()->cuLibraryGetKernel((CUkernel *)pKernel, (CUlibrary)library, name));
}

cudaError_t rt_cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name) {
    return rt_error(rt_driver()->cuLibraryGetGlobal((CUdeviceptr *)dptr, bytes, (CUlibrary)library, name));
}

cudaError_t rt_cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name) {
    return rt_error(rt_driver()->cuLibraryGetManaged((CUdeviceptr *)dptr, bytes, (CUlibrary)library, name));
}

cudaError_t rt_cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib) {
    return rt_error(rt_driver()->cuLibraryGetKernelCount(count, (CUlibrary)lib));
}

cudaError_t rt_cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib) {
    return rt_error(rt_driver()->cuLibraryEnumerateKernels((CUkernel *)kernels, numKernels, (CUlibrary)lib));
}
