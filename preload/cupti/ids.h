/*
 * CUPTI's callback ids, also those of entry points that the headers of the build do not know: a number is never given
 * twice, so a newer libcupti takes them, and an older one refuses them.
 *
 * From cupti_driver_cbid.h of CUDA 13.0; tests/unit/test_newer_cuda.c holds the numbers against it. Macros, since an
 * enumerator of that name may be there and has the same value.
 */
#ifndef MEMTRACE_PRELOAD_CUPTI_IDS_H
#define MEMTRACE_PRELOAD_CUPTI_IDS_H

#include <cupti.h>

// Ids are below it.
#define MT_CUPTI_ID_BOUND 1024
_Static_assert(CUPTI_DRIVER_TRACE_CBID_SIZE <= MT_CUPTI_ID_BOUND, "CUPTI has more ids");

#define CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData                678
#define CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile            679
#define CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload                  680
#define CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel               681
#define CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule               682
#define CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction              683
#define CUPTI_DRIVER_TRACE_CBID_cuLibraryGetGlobal               684
#define CUPTI_DRIVER_TRACE_CBID_cuLibraryGetManaged              685
#define CUPTI_DRIVER_TRACE_CBID_cuMulticastCreate                706
#define CUPTI_DRIVER_TRACE_CBID_cuMulticastAddDevice             707
#define CUPTI_DRIVER_TRACE_CBID_cuMulticastBindMem               708
#define CUPTI_DRIVER_TRACE_CBID_cuMulticastBindAddr              709
#define CUPTI_DRIVER_TRACE_CBID_cuMulticastUnbind                710
#define CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode                   712
#define CUPTI_DRIVER_TRACE_CBID_cuMemPrefetchAsync_v2            716
#define CUPTI_DRIVER_TRACE_CBID_cuMemPrefetchAsync_v2_ptsz       717
#define CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph      720
#define CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz 721
#define CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2                723
#define CUPTI_DRIVER_TRACE_CBID_cuFuncLoad                       742
#define CUPTI_DRIVER_TRACE_CBID_cuGreenCtxCreate                 743
#define CUPTI_DRIVER_TRACE_CBID_cuGreenCtxDestroy                744
#define CUPTI_DRIVER_TRACE_CBID_cuCtxCreate_v4                   757
#define CUPTI_DRIVER_TRACE_CBID_cuGreenCtxStreamCreate           758
#define CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2              800
#define CUPTI_DRIVER_TRACE_CBID_cuMemGetDefaultMemPool           801
#define CUPTI_DRIVER_TRACE_CBID_cuMemGetMemPool                  802
#define CUPTI_DRIVER_TRACE_CBID_cuMemSetMemPool                  803

#endif
