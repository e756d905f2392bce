// The driver entry points for code, launches and graphs, one row each; api.h says what the columns mean.
// No include guard: each user defines the SIM_API macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Modules
SIM_API(CONTEXT, 2000, cuModuleLoad, (CUmodule *module, const char *fname), (module, fname))
SIM_API(CONTEXT, 2000, cuModuleLoadData, (CUmodule *module, const void *image), (module, image))
SIM_API(CONTEXT, 2010, cuModuleLoadDataEx,
        (CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options, void **optionValues),
        (module, image, numOptions, options, optionValues))
SIM_API(CONTEXT, 2000, cuModuleLoadFatBinary, (CUmodule *module, const void *fatCubin), (module, fatCubin))
SIM_API(CONTEXT, 2000, cuModuleUnload, (CUmodule hmod), (hmod))
SIM_API(INIT, 11070, cuModuleGetLoadingMode, (CUmoduleLoadingMode *mode), (mode))
SIM_API(CONTEXT, 2000, cuModuleGetFunction, (CUfunction *hfunc, CUmodule hmod, const char *name), (hfunc, hmod, name))
SIM_API(CONTEXT, 12040, cuModuleGetFunctionCount, (unsigned int *count, CUmodule mod), (count, mod))
SIM_API(CONTEXT, 3020, cuModuleGetGlobal_v2, (CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name),
        (dptr, bytes, hmod, name))

// Libraries and kernels
SIM_API(INIT, 12000, cuLibraryLoadData,
        (CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
         unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
         unsigned int numLibraryOptions),
        (library, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
         numLibraryOptions))
SIM_API(INIT, 12000, cuLibraryLoadFromFile,
        (CUlibrary *library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues,
         unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
         unsigned int numLibraryOptions),
        (library, fileName, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
         numLibraryOptions))
SIM_API(INIT, 12000, cuLibraryUnload, (CUlibrary library), (library))
SIM_API(INIT, 12000, cuLibraryGetKernel, (CUkernel *pKernel, CUlibrary library, const char *name),
        (pKernel, library, name))
SIM_API(INIT, 12040, cuLibraryGetKernelCount, (unsigned int *count, CUlibrary lib), (count, lib))
SIM_API(INIT, 12040, cuLibraryEnumerateKernels, (CUkernel *kernels, unsigned int numKernels, CUlibrary lib),
        (kernels, numKernels, lib))
SIM_API(CONTEXT, 12000, cuLibraryGetModule, (CUmodule *pMod, CUlibrary library), (pMod, library))
SIM_API(CONTEXT, 12000, cuKernelGetFunction, (CUfunction *pFunc, CUkernel kernel), (pFunc, kernel))
SIM_API(INIT, 12050, cuKernelGetLibrary, (CUlibrary *pLib, CUkernel kernel), (pLib, kernel))
SIM_API(CONTEXT, 12000, cuLibraryGetGlobal, (CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name),
        (dptr, bytes, library, name))
SIM_API(INIT, 12000, cuLibraryGetManaged, (CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name),
        (dptr, bytes, library, name))
SIM_API(INIT, 12000, cuKernelGetAttribute, (int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev),
        (pi, attrib, kernel, dev))
SIM_API(INIT, 12000, cuKernelSetAttribute, (CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev),
        (attrib, val, kernel, dev))
SIM_API(INIT, 12000, cuKernelSetCacheConfig, (CUkernel kernel, CUfunc_cache config, CUdevice dev),
        (kernel, config, dev))
SIM_API(INIT, 12030, cuKernelGetName, (const char **name, CUkernel hfunc), (name, hfunc))
SIM_API(INIT, 12040, cuKernelGetParamInfo, (CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize),
        (kernel, paramIndex, paramOffset, paramSize))

// Functions
SIM_API(CONTEXT, 2020, cuFuncGetAttribute, (int *pi, CUfunction_attribute attrib, CUfunction hfunc),
        (pi, attrib, hfunc))
SIM_API(CONTEXT, 9000, cuFuncSetAttribute, (CUfunction hfunc, CUfunction_attribute attrib, int value),
        (hfunc, attrib, value))
SIM_API(CONTEXT, 3000, cuFuncSetCacheConfig, (CUfunction hfunc, CUfunc_cache config), (hfunc, config))
SIM_API(CONTEXT, 11000, cuFuncGetModule, (CUmodule *hmod, CUfunction hfunc), (hmod, hfunc))
SIM_API(CONTEXT, 12030, cuFuncGetName, (const char **name, CUfunction hfunc), (name, hfunc))
SIM_API(CONTEXT, 12040, cuFuncGetParamInfo,
        (CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize),
        (func, paramIndex, paramOffset, paramSize))
SIM_API(CONTEXT, 12040, cuFuncIsLoaded, (CUfunctionLoadingState *state, CUfunction function), (state, function))
SIM_API(CONTEXT, 12040, cuFuncLoad, (CUfunction function), (function))
SIM_API(CONTEXT, 2000, cuFuncSetBlockShape, (CUfunction hfunc, int x, int y, int z), (hfunc, x, y, z))
SIM_API(CONTEXT, 2000, cuFuncSetSharedSize, (CUfunction hfunc, unsigned int bytes), (hfunc, bytes))
SIM_API(CONTEXT, 2000, cuParamSetSize, (CUfunction hfunc, unsigned int numbytes), (hfunc, numbytes))
SIM_API(CONTEXT, 2000, cuParamSeti, (CUfunction hfunc, int offset, unsigned int value), (hfunc, offset, value))
SIM_API(CONTEXT, 2000, cuParamSetf, (CUfunction hfunc, int offset, float value), (hfunc, offset, value))
SIM_API(CONTEXT, 2000, cuParamSetv, (CUfunction hfunc, int offset, void *ptr, unsigned int numbytes),
        (hfunc, offset, ptr, numbytes))
SIM_API(CONTEXT, 6050, cuOccupancyMaxActiveBlocksPerMultiprocessor,
        (int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize),
        (numBlocks, func, blockSize, dynamicSMemSize))
SIM_API(CONTEXT, 7000, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
        (int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize, unsigned int flags),
        (numBlocks, func, blockSize, dynamicSMemSize, flags))
SIM_API(CONTEXT, 6050, cuOccupancyMaxPotentialBlockSize,
        (int *minGridSize, int *blockSize, CUfunction func, CUoccupancyB2DSize blockSizeToDynamicSMemSize,
         size_t dynamicSMemSize, int blockSizeLimit),
        (minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit))
SIM_API(CONTEXT, 7000, cuOccupancyMaxPotentialBlockSizeWithFlags,
        (int *minGridSize, int *blockSize, CUfunction func, CUoccupancyB2DSize blockSizeToDynamicSMemSize,
         size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags),
        (minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, flags))
SIM_API(CONTEXT, 10020, cuOccupancyAvailableDynamicSMemPerBlock,
        (size_t *dynamicSmemSize, CUfunction func, int numBlocks, int blockSize),
        (dynamicSmemSize, func, numBlocks, blockSize))

// Launches
SIM_API(CONTEXT, 2000, cuLaunch, (CUfunction f), (f))
SIM_API(CONTEXT, 2000, cuLaunchGrid, (CUfunction f, int grid_width, int grid_height), (f, grid_width, grid_height))
SIM_API(CONTEXT, 2000, cuLaunchGridAsync, (CUfunction f, int grid_width, int grid_height, CUstream hStream),
        (f, grid_width, grid_height, hStream))
SIM_API_STREAM(CONTEXT, 4000, cuLaunchKernel,
               (CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
                CUstream hStream, void **kernelParams, void **extra),
               (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams,
                extra),
               hStream)
SIM_API_PTSZ(CONTEXT, 11060, cuLaunchKernelEx,
             (const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra),
             (config, f, kernelParams, extra))
SIM_API_STREAM(CONTEXT, 9000, cuLaunchCooperativeKernel,
               (CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
                CUstream hStream, void **kernelParams),
               (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
                kernelParams),
               hStream)
SIM_API(CONTEXT, 9000, cuLaunchCooperativeKernelMultiDevice,
        (CUDA_LAUNCH_PARAMS *launchParamsList, unsigned int numDevices, unsigned int flags),
        (launchParamsList, numDevices, flags))
