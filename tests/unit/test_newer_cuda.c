/*
 * What we declare of newer toolkits (preload/newer_cuda.h, preload/cupti/ids.h, preload/nvtx/extension.h) against the
 * toolkit that has it: sizes, places of fields and numbers by the compiler, completeness when it runs. Built with
 * CUDA 13.0 or later.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda.h>
#include <cupti.h>
#include <stdio.h>
#include <string.h>

#include "preload/entry_points.h"
#include "preload/nvtx/extension.h"

// F(type, field)
// clang-format off
#define FIELDS(F) \
    F(cuMemPrefetchAsync_v2_params, devPtr) F(cuMemPrefetchAsync_v2_params, count) \
    F(cuMemPrefetchAsync_v2_params, location) F(cuMemPrefetchAsync_v2_params, flags) \
    F(cuMemPrefetchAsync_v2_params, hStream) \
    F(CUDA_GRAPH_INSTANTIATE_PARAMS, flags) F(CUDA_GRAPH_INSTANTIATE_PARAMS, hUploadStream) \
    F(CUDA_GRAPH_INSTANTIATE_PARAMS, hErrNode_out) F(CUDA_GRAPH_INSTANTIATE_PARAMS, result_out) \
    F(CUmulticastObjectProp, numDevices) F(CUmulticastObjectProp, size) F(CUmulticastObjectProp, handleTypes) \
    F(CUmulticastObjectProp, flags) \
    F(CUDA_MEM_FREE_NODE_PARAMS, dptr) \
    F(CUgraphNodeParams, type) F(CUgraphNodeParams, graph.graph) F(CUgraphNodeParams, alloc) F(CUgraphNodeParams, free) \
    F(CUgraphNodeParams, reserved2) \
    F(CUgraphEdgeData, from_port) F(CUgraphEdgeData, to_port) F(CUgraphEdgeData, type) F(CUgraphEdgeData, reserved) \
    F(CUctxCreateParams, execAffinityParams) F(CUctxCreateParams, numExecAffinityParams) \
    F(CUctxCreateParams, cigParams) \
    F(cuGraphInstantiateWithParams_params, phGraphExec) F(cuGraphInstantiateWithParams_params, hGraph) \
    F(cuGraphInstantiateWithParams_params, instantiateParams) \
    F(cuLibraryLoadData_params, library) F(cuLibraryLoadData_params, code) F(cuLibraryLoadData_params, jitOptions) \
    F(cuLibraryLoadData_params, jitOptionsValues) F(cuLibraryLoadData_params, numJitOptions) \
    F(cuLibraryLoadData_params, libraryOptions) F(cuLibraryLoadData_params, libraryOptionValues) \
    F(cuLibraryLoadData_params, numLibraryOptions) \
    F(cuLibraryLoadFromFile_params, library) F(cuLibraryLoadFromFile_params, fileName) \
    F(cuLibraryLoadFromFile_params, jitOptions) F(cuLibraryLoadFromFile_params, jitOptionsValues) \
    F(cuLibraryLoadFromFile_params, numJitOptions) F(cuLibraryLoadFromFile_params, libraryOptions) \
    F(cuLibraryLoadFromFile_params, libraryOptionValues) F(cuLibraryLoadFromFile_params, numLibraryOptions) \
    F(cuLibraryUnload_params, library) \
    F(cuLibraryGetKernel_params, pKernel) F(cuLibraryGetKernel_params, library) F(cuLibraryGetKernel_params, name) \
    F(cuKernelGetFunction_params, pFunc) F(cuKernelGetFunction_params, kernel) \
    F(cuLibraryGetModule_params, pMod) F(cuLibraryGetModule_params, library) \
    F(cuLibraryGetGlobal_params, dptr) F(cuLibraryGetGlobal_params, bytes) F(cuLibraryGetGlobal_params, library) \
    F(cuLibraryGetGlobal_params, name) \
    F(cuLibraryGetManaged_params, dptr) F(cuLibraryGetManaged_params, bytes) F(cuLibraryGetManaged_params, library) \
    F(cuLibraryGetManaged_params, name) \
    F(cuMulticastCreate_params, mcHandle) F(cuMulticastCreate_params, prop) \
    F(cuMulticastAddDevice_params, mcHandle) F(cuMulticastAddDevice_params, dev) \
    F(cuMulticastBindMem_params, mcHandle) F(cuMulticastBindMem_params, mcOffset) \
    F(cuMulticastBindMem_params, memHandle) F(cuMulticastBindMem_params, memOffset) \
    F(cuMulticastBindMem_params, size) F(cuMulticastBindMem_params, flags) \
    F(cuMulticastBindAddr_params, mcHandle) F(cuMulticastBindAddr_params, mcOffset) \
    F(cuMulticastBindAddr_params, memptr) F(cuMulticastBindAddr_params, size) F(cuMulticastBindAddr_params, flags) \
    F(cuMulticastUnbind_params, mcHandle) F(cuMulticastUnbind_params, dev) F(cuMulticastUnbind_params, mcOffset) \
    F(cuMulticastUnbind_params, size) \
    F(cuGraphAddNode_params, phGraphNode) F(cuGraphAddNode_params, hGraph) F(cuGraphAddNode_params, dependencies) \
    F(cuGraphAddNode_params, numDependencies) F(cuGraphAddNode_params, nodeParams) \
    F(cuGraphAddNode_v2_params, phGraphNode) F(cuGraphAddNode_v2_params, hGraph) \
    F(cuGraphAddNode_v2_params, dependencies) F(cuGraphAddNode_v2_params, dependencyData) \
    F(cuGraphAddNode_v2_params, numDependencies) F(cuGraphAddNode_v2_params, nodeParams) \
    F(cuStreamBeginCaptureToGraph_params, hStream) F(cuStreamBeginCaptureToGraph_params, hGraph) \
    F(cuStreamBeginCaptureToGraph_params, dependencies) F(cuStreamBeginCaptureToGraph_params, dependencyData) \
    F(cuStreamBeginCaptureToGraph_params, numDependencies) F(cuStreamBeginCaptureToGraph_params, mode) \
    F(cuFuncLoad_params, function) \
    F(cuGreenCtxCreate_params, phCtx) F(cuGreenCtxCreate_params, desc) F(cuGreenCtxCreate_params, dev) \
    F(cuGreenCtxCreate_params, flags) \
    F(cuGreenCtxDestroy_params, hCtx) \
    F(cuCtxCreate_v4_params, pctx) F(cuCtxCreate_v4_params, ctxCreateParams) F(cuCtxCreate_v4_params, flags) \
    F(cuCtxCreate_v4_params, dev) \
    F(cuGreenCtxStreamCreate_params, phStream) F(cuGreenCtxStreamCreate_params, greenCtx) \
    F(cuGreenCtxStreamCreate_params, flags) F(cuGreenCtxStreamCreate_params, priority) \
    F(cuMemGetMemPool_params, pool) F(cuMemGetMemPool_params, location) F(cuMemGetMemPool_params, type) \
    F(cuMemGetDefaultMemPool_params, pool_out) F(cuMemGetDefaultMemPool_params, location) \
    F(cuMemGetDefaultMemPool_params, type) \
    F(cuMemSetMemPool_params, location) F(cuMemSetMemPool_params, type) F(cuMemSetMemPool_params, pool) \
    F(cuCtxSynchronize_v2_params, ctx)
#define NVTX_FIELDS(F) \
    F(nvtxMemRegionRef_t, pointer) F(nvtxMemRegionRef_t, handle) \
    F(nvtxMemVirtualRangeDesc_t, size) F(nvtxMemVirtualRangeDesc_t, ptr) \
    F(nvtxMemHeapDesc_t, extCompatID) F(nvtxMemHeapDesc_t, structSize) F(nvtxMemHeapDesc_t, usage) \
    F(nvtxMemHeapDesc_t, type) F(nvtxMemHeapDesc_t, typeSpecificDescSize) F(nvtxMemHeapDesc_t, typeSpecificDesc) \
    F(nvtxMemHeapDesc_t, category) F(nvtxMemHeapDesc_t, messageType) F(nvtxMemHeapDesc_t, message) \
    F(nvtxMemRegionsRegisterBatch_t, extCompatID) F(nvtxMemRegionsRegisterBatch_t, structSize) \
    F(nvtxMemRegionsRegisterBatch_t, regionType) F(nvtxMemRegionsRegisterBatch_t, heap) \
    F(nvtxMemRegionsRegisterBatch_t, regionCount) F(nvtxMemRegionsRegisterBatch_t, regionDescElementSize) \
    F(nvtxMemRegionsRegisterBatch_t, regionDescElements) F(nvtxMemRegionsRegisterBatch_t, regionHandleElementsOut) \
    F(nvtxMemRegionsResizeBatch_t, extCompatID) F(nvtxMemRegionsResizeBatch_t, structSize) \
    F(nvtxMemRegionsResizeBatch_t, regionType) F(nvtxMemRegionsResizeBatch_t, regionDescCount) \
    F(nvtxMemRegionsResizeBatch_t, regionDescElementSize) F(nvtxMemRegionsResizeBatch_t, regionDescElements) \
    F(nvtxMemRegionsUnregisterBatch_t, extCompatID) F(nvtxMemRegionsUnregisterBatch_t, structSize) \
    F(nvtxMemRegionsUnregisterBatch_t, refType) F(nvtxMemRegionsUnregisterBatch_t, refCount) \
    F(nvtxMemRegionsUnregisterBatch_t, refElementSize) F(nvtxMemRegionsUnregisterBatch_t, refElements) \
    F(nvtxMemRegionNameDesc_t, regionRefType) F(nvtxMemRegionNameDesc_t, nameType) \
    F(nvtxMemRegionNameDesc_t, region) F(nvtxMemRegionNameDesc_t, name) F(nvtxMemRegionNameDesc_t, category) \
    F(nvtxMemRegionsNameBatch_t, extCompatID) F(nvtxMemRegionsNameBatch_t, structSize) \
    F(nvtxMemRegionsNameBatch_t, regionCount) F(nvtxMemRegionsNameBatch_t, regionElementSize) \
    F(nvtxMemRegionsNameBatch_t, regionElements) \
    F(nvtxExtModuleSegment_t, segmentId) F(nvtxExtModuleSegment_t, slotCount) \
    F(nvtxExtModuleSegment_t, functionSlots) \
    F(nvtxExtModuleInfo_t, nvtxVer) F(nvtxExtModuleInfo_t, structSize) F(nvtxExtModuleInfo_t, moduleId) \
    F(nvtxExtModuleInfo_t, compatId) F(nvtxExtModuleInfo_t, segmentsCount) F(nvtxExtModuleInfo_t, segments) \
    F(nvtxExtModuleInfo_t, getExportFunction) F(nvtxExtModuleInfo_t, extInfo)
#define HANDLES(H)                                                                                                     \
    H(CUlibrary, )                                                                                                     \
    H(CUkernel, )                                                                                                      \
    H(CUlibraryOption, )                                                                                               \
    H(CUdriverProcAddressQueryResult, )                                                                                \
    H(CUgreenCtx, ) H(CUdevResourceDesc, ) H(nvtxMemHeapHandle_t, ) H(nvtxMemRegionHandle_t, )
#define NUMBERS(N)                                                                                                     \
    N(NVTX_EXT_MODULEID_MEM)                                                                                           \
    N(NVTX_EXT_COMPATID_MEM)                                                                                           \
    N(NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT)                                                                                 \
    N(NVTX_MEM_TYPE_VIRTUAL_ADDRESS)                                                                                   \
    N(NVTX3EXT_CBID_nvtxMemHeapRegister)                                                                               \
    N(NVTX3EXT_CBID_nvtxMemHeapUnregister)                                                                             \
    N(NVTX3EXT_CBID_nvtxMemHeapReset)                                                                                  \
    N(NVTX3EXT_CBID_nvtxMemRegionsRegister) N(NVTX3EXT_CBID_nvtxMemRegionsResize)                                      \
        N(NVTX3EXT_CBID_nvtxMemRegionsUnregister) N(NVTX3EXT_CBID_nvtxMemRegionsName)
// clang-format on

// The toolkit's, under names of its own.
#define THEIRS(type, field) typedef type theirs_##type;
FIELDS(THEIRS)
NVTX_FIELDS(THEIRS)
HANDLES(THEIRS)
#define THEIR_NUMBER(name) enum { theirs_##name = name };
NUMBERS(THEIR_NUMBER)
#define THEIR_ID(name, ...) enum { theirs_id_##name = CUPTI_DRIVER_TRACE_CBID_##name };
#define THEIR_IDS(name, ...)                                                                                           \
    enum {                                                                                                             \
        theirs_id_##name = CUPTI_DRIVER_TRACE_CBID_##name,                                                             \
        theirs_id_##name##_ptsz = CUPTI_DRIVER_TRACE_CBID_##name##_ptsz                                                \
    };
MT_ENTRY_POINTS(THEIR_ID, THEIR_IDS)

// Ours, as an old toolkit makes the headers declare them.
#define MT_CUDA_HEADERS 11080
#define MT_NVTX_DECLARED
#undef MEMTRACE_PRELOAD_NVTX_EXTENSION_H
#define CUlibrary                           ours_CUlibrary
#define CUkernel                            ours_CUkernel
#define CUlibraryOption                     ours_CUlibraryOption
#define CUdriverProcAddressQueryResult      ours_CUdriverProcAddressQueryResult
#define CUgreenCtx                          ours_CUgreenCtx
#define CUdevResourceDesc                   ours_CUdevResourceDesc
#define CUDA_MEM_ALLOC_NODE_PARAMS_v2       ours_CUDA_MEM_ALLOC_NODE_PARAMS_v2
#define CUDA_GRAPH_INSTANTIATE_PARAMS       ours_CUDA_GRAPH_INSTANTIATE_PARAMS
#define CUmulticastObjectProp               ours_CUmulticastObjectProp
#define CUDA_MEM_FREE_NODE_PARAMS           ours_CUDA_MEM_FREE_NODE_PARAMS
#define CUgraphNodeParams                   ours_CUgraphNodeParams
#define CUgraphEdgeData                     ours_CUgraphEdgeData
#define CUctxCreateParams                   ours_CUctxCreateParams
#define cuGraphInstantiateWithParams_params ours_cuGraphInstantiateWithParams_params
#define cuLibraryLoadData_params            ours_cuLibraryLoadData_params
#define cuLibraryLoadFromFile_params        ours_cuLibraryLoadFromFile_params
#define cuLibraryUnload_params              ours_cuLibraryUnload_params
#define cuLibraryGetKernel_params           ours_cuLibraryGetKernel_params
#define cuKernelGetFunction_params          ours_cuKernelGetFunction_params
#define cuLibraryGetModule_params           ours_cuLibraryGetModule_params
#define cuLibraryGetGlobal_params           ours_cuLibraryGetGlobal_params
#define cuLibraryGetManaged_params          ours_cuLibraryGetManaged_params
#define cuMulticastCreate_params            ours_cuMulticastCreate_params
#define cuMulticastAddDevice_params         ours_cuMulticastAddDevice_params
#define cuMulticastBindMem_params           ours_cuMulticastBindMem_params
#define cuMulticastBindAddr_params          ours_cuMulticastBindAddr_params
#define cuMulticastUnbind_params            ours_cuMulticastUnbind_params
#define cuGraphAddNode_params               ours_cuGraphAddNode_params
#define cuGraphAddNode_v2_params            ours_cuGraphAddNode_v2_params
#define cuStreamBeginCaptureToGraph_params  ours_cuStreamBeginCaptureToGraph_params
#define cuFuncLoad_params                   ours_cuFuncLoad_params
#define cuGreenCtxCreate_params             ours_cuGreenCtxCreate_params
#define cuGreenCtxDestroy_params            ours_cuGreenCtxDestroy_params
#define cuMemPrefetchAsync_v2_params        ours_cuMemPrefetchAsync_v2_params
#define cuCtxCreate_v4_params               ours_cuCtxCreate_v4_params
#define cuGreenCtxStreamCreate_params       ours_cuGreenCtxStreamCreate_params
#define cuMemGetMemPool_params              ours_cuMemGetMemPool_params
#define cuMemGetDefaultMemPool_params       ours_cuMemGetDefaultMemPool_params
#define cuMemSetMemPool_params              ours_cuMemSetMemPool_params
#define cuCtxSynchronize_v2_params          ours_cuCtxSynchronize_v2_params
#define nvtxMemHeapHandle_t                 ours_nvtxMemHeapHandle_t
#define nvtxMemRegionHandle_t               ours_nvtxMemRegionHandle_t
#define nvtxMemRegionRef_t                  ours_nvtxMemRegionRef_t
#define nvtxMemVirtualRangeDesc_t           ours_nvtxMemVirtualRangeDesc_t
#define nvtxMemHeapDesc_t                   ours_nvtxMemHeapDesc_t
#define nvtxMemRegionsRegisterBatch_t       ours_nvtxMemRegionsRegisterBatch_t
#define nvtxMemRegionsResizeBatch_t         ours_nvtxMemRegionsResizeBatch_t
#define nvtxMemRegionsUnregisterBatch_t     ours_nvtxMemRegionsUnregisterBatch_t
#define nvtxMemRegionNameDesc_t             ours_nvtxMemRegionNameDesc_t
#define nvtxMemRegionsNameBatch_t           ours_nvtxMemRegionsNameBatch_t
#define nvtxExtModuleSegment_t              ours_nvtxExtModuleSegment_t
#define nvtxExtModuleInfo_t                 ours_nvtxExtModuleInfo_t
#undef NVTX_EXT_MODULEID_MEM
#undef NVTX_EXT_COMPATID_MEM
#undef NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT
#undef NVTX_MEM_TYPE_VIRTUAL_ADDRESS
#undef NVTX3EXT_CBID_nvtxMemHeapRegister
#undef NVTX3EXT_CBID_nvtxMemHeapUnregister
#undef NVTX3EXT_CBID_nvtxMemHeapReset
#undef NVTX3EXT_CBID_nvtxMemRegionsRegister
#undef NVTX3EXT_CBID_nvtxMemRegionsResize
#undef NVTX3EXT_CBID_nvtxMemRegionsUnregister
#undef NVTX3EXT_CBID_nvtxMemRegionsName
#include "preload/cupti/ids.h"
#include "preload/newer_cuda.h"
#include "preload/nvtx/extension.h"

#define SAME_SIZE(type, ...) _Static_assert(sizeof(ours_##type) == sizeof(theirs_##type), "size of " #type);
#define SAME_FIELD(type, field)                                                                                        \
    _Static_assert(sizeof(ours_##type) == sizeof(theirs_##type), "size of " #type);                                    \
    _Static_assert(offsetof(ours_##type, field) == offsetof(theirs_##type, field), #type "." #field);                  \
    _Static_assert(sizeof(((ours_##type *)0)->field) == sizeof(((theirs_##type *)0)->field), #type "." #field);
FIELDS(SAME_FIELD)
NVTX_FIELDS(SAME_FIELD)
HANDLES(SAME_SIZE)
#define SAME_NUMBER(name) _Static_assert((int)theirs_##name == (name), #name);
NUMBERS(SAME_NUMBER)
#define SAME_ID(name, ...) _Static_assert((int)theirs_id_##name == CUPTI_DRIVER_TRACE_CBID_##name, #name);
#define SAME_IDS(name, ...)                                                                                            \
    _Static_assert((int)theirs_id_##name == CUPTI_DRIVER_TRACE_CBID_##name, #name);                                    \
    _Static_assert((int)theirs_id_##name##_ptsz == CUPTI_DRIVER_TRACE_CBID_##name##_ptsz, #name);
MT_ENTRY_POINTS(SAME_ID, SAME_IDS)

// Ids that CUDA 11.8 had end here.
#define FIRST_NEWER_ID 677

static const struct {
    const char *name;
    int id;
} listed[] = {
#define X(name, ...) {#name, theirs_id_##name},
    MT_ENTRY_POINTS(X, X)
#undef X
};

static char *read_source(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r"); // tests run in the source folder
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void what_an_old_toolkit_lacks_is_declared(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        char wanted[128];
        if (listed[i].id < FIRST_NEWER_ID) continue;
        snprintf(wanted, sizeof wanted, "CUPTI_DRIVER_TRACE_CBID_%s ", listed[i].name);
        if (!strstr(read_source("preload/cupti/ids.h"), wanted)) fail_msg("preload/cupti/ids.h lacks %s", wanted);
        snprintf(wanted, sizeof wanted, "} %s_params;\n", listed[i].name);
        if (!strstr(read_source("preload/newer_cuda.h"), wanted)) fail_msg("preload/newer_cuda.h lacks %s", wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_an_old_toolkit_lacks_is_declared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
