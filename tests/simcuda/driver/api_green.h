// The driver entry points for green contexts, one row each; api.h says what the columns mean.
// No include guard: each user defines the SIM_API macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Green contexts
SIM_API(INIT, 12040, cuDeviceGetDevResource, (CUdevice device, CUdevResource *resource, CUdevResourceType type),
        (device, resource, type))
SIM_API(INIT, 12040, cuCtxGetDevResource, (CUcontext hCtx, CUdevResource *resource, CUdevResourceType type),
        (hCtx, resource, type))
SIM_API(INIT, 12040, cuGreenCtxCreate, (CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev, unsigned int flags),
        (phCtx, desc, dev, flags))
SIM_API(INIT, 12040, cuGreenCtxDestroy, (CUgreenCtx hCtx), (hCtx))
SIM_API(INIT, 12040, cuCtxFromGreenCtx, (CUcontext *pContext, CUgreenCtx hCtx), (pContext, hCtx))
SIM_API(INIT, 12040, cuGreenCtxGetDevResource, (CUgreenCtx hCtx, CUdevResource *resource, CUdevResourceType type),
        (hCtx, resource, type))
SIM_API(INIT, 12040, cuDevSmResourceSplitByCount,
        (CUdevResource *result, unsigned int *nbGroups, const CUdevResource *input, CUdevResource *remaining,
         unsigned int useFlags, unsigned int minCount),
        (result, nbGroups, input, remaining, useFlags, minCount))
SIM_API(INIT, 12040, cuDevResourceGenerateDesc,
        (CUdevResourceDesc *phDesc, CUdevResource *resources, unsigned int nbResources),
        (phDesc, resources, nbResources))
SIM_API(INIT, 12050, cuGreenCtxStreamCreate,
        (CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags, int priority),
        (phStream, greenCtx, flags, priority))
SIM_API(INIT, 12040, cuStreamGetGreenCtx, (CUstream hStream, CUgreenCtx *phCtx), (hStream, phCtx))
