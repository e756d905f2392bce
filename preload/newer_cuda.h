/*
 * CUDA's driver interface as of 13.0, whichever toolkit from 11.8 on the build has: the types, and the parameters of
 * entry points, that cuda.h and generated_cuda_meta.h of an older one lack. So a library that was built with an old
 * toolkit traces all that a newer driver has.
 *
 * From the headers of CUDA 13.0; cudaTypedefs.h there tells since when an entry point has its form (the number behind
 * _v in the names of its types). tests/unit/test_newer_cuda.c holds the layouts against these headers.
 */
#ifndef MEMTRACE_PRELOAD_NEWER_CUDA_H
#define MEMTRACE_PRELOAD_NEWER_CUDA_H

#include <cuda.h>

// What is declared here is what these lack; a test says that they are old.
#ifndef MT_CUDA_HEADERS
#define MT_CUDA_HEADERS CUDA_VERSION
#endif

#if MT_CUDA_HEADERS < 12000
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef unsigned CUlibraryOption;                // an enum
typedef unsigned CUdriverProcAddressQueryResult; // an enum

typedef struct {
    cuuint64_t flags;
    CUstream hUploadStream;
    CUgraphNode hErrNode_out;
    unsigned result_out; // an enum
} CUDA_GRAPH_INSTANTIATE_PARAMS;

typedef struct {
    CUgraphExec *phGraphExec;
    CUgraph hGraph;
    CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams;
} cuGraphInstantiateWithParams_params;

typedef struct {
    CUlibrary *library;
    const void *code;
    CUjit_option *jitOptions;
    void **jitOptionsValues;
    unsigned numJitOptions;
    CUlibraryOption *libraryOptions;
    void **libraryOptionValues;
    unsigned numLibraryOptions;
} cuLibraryLoadData_params;

typedef struct {
    CUlibrary *library;
    const char *fileName;
    CUjit_option *jitOptions;
    void **jitOptionsValues;
    unsigned numJitOptions;
    CUlibraryOption *libraryOptions;
    void **libraryOptionValues;
    unsigned numLibraryOptions;
} cuLibraryLoadFromFile_params;

typedef struct {
    CUlibrary library;
} cuLibraryUnload_params;

typedef struct {
    CUkernel *pKernel;
    CUlibrary library;
    const char *name;
} cuLibraryGetKernel_params;

typedef struct {
    CUfunction *pFunc;
    CUkernel kernel;
} cuKernelGetFunction_params;

typedef struct {
    CUmodule *pMod;
    CUlibrary library;
} cuLibraryGetModule_params;

typedef struct {
    CUdeviceptr *dptr;
    size_t *bytes;
    CUlibrary library;
    const char *name;
} cuLibraryGetGlobal_params;

typedef struct {
    CUdeviceptr *dptr;
    size_t *bytes;
    CUlibrary library;
    const char *name;
} cuLibraryGetManaged_params;
#endif

#if MT_CUDA_HEADERS < 12010
typedef struct {
    unsigned numDevices;
    size_t size;
    unsigned long long handleTypes;
    unsigned long long flags;
} CUmulticastObjectProp;

typedef struct {
    CUmemGenericAllocationHandle *mcHandle;
    const CUmulticastObjectProp *prop;
} cuMulticastCreate_params;

typedef struct {
    CUmemGenericAllocationHandle mcHandle;
    CUdevice dev;
} cuMulticastAddDevice_params;

typedef struct {
    CUmemGenericAllocationHandle mcHandle;
    size_t mcOffset;
    CUmemGenericAllocationHandle memHandle;
    size_t memOffset;
    size_t size;
    unsigned long long flags;
} cuMulticastBindMem_params;

typedef struct {
    CUmemGenericAllocationHandle mcHandle;
    size_t mcOffset;
    CUdeviceptr memptr;
    size_t size;
    unsigned long long flags;
} cuMulticastBindAddr_params;

typedef struct {
    CUmemGenericAllocationHandle mcHandle;
    CUdevice dev;
    size_t mcOffset;
    size_t size;
} cuMulticastUnbind_params;
#endif

#if MT_CUDA_HEADERS < 12020
// Before, a node that allocates had this struct under its first name, and one that frees took the address alone.
typedef CUDA_MEM_ALLOC_NODE_PARAMS CUDA_MEM_ALLOC_NODE_PARAMS_v2;
typedef struct {
    CUdeviceptr dptr;
} CUDA_MEM_FREE_NODE_PARAMS;

// Of the many kinds of node those that are about memory, and a graph within the graph.
typedef struct {
    CUgraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct {
            CUgraph graph;
        } graph;
        CUDA_MEM_ALLOC_NODE_PARAMS_v2 alloc;
        CUDA_MEM_FREE_NODE_PARAMS free;
    };
    long long reserved2;
} CUgraphNodeParams;

typedef struct {
    CUgraphNode *phGraphNode;
    CUgraph hGraph;
    const CUgraphNode *dependencies;
    size_t numDependencies;
    CUgraphNodeParams *nodeParams;
} cuGraphAddNode_params;

typedef struct {
    CUdeviceptr devPtr;
    size_t count;
    CUmemLocation location;
    unsigned flags;
    CUstream hStream;
} cuMemPrefetchAsync_v2_params;
#endif

#if MT_CUDA_HEADERS < 12030
typedef struct {
    unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

typedef struct {
    CUgraphNode *phGraphNode;
    CUgraph hGraph;
    const CUgraphNode *dependencies;
    const CUgraphEdgeData *dependencyData;
    size_t numDependencies;
    CUgraphNodeParams *nodeParams;
} cuGraphAddNode_v2_params;

typedef struct {
    CUstream hStream;
    CUgraph hGraph;
    const CUgraphNode *dependencies;
    const CUgraphEdgeData *dependencyData;
    size_t numDependencies;
    CUstreamCaptureMode mode;
} cuStreamBeginCaptureToGraph_params;
#endif

#if MT_CUDA_HEADERS < 12040
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;

typedef struct {
    CUfunction function;
} cuFuncLoad_params;

typedef struct {
    CUgreenCtx *phCtx;
    CUdevResourceDesc desc;
    CUdevice dev;
    unsigned flags;
} cuGreenCtxCreate_params;

typedef struct {
    CUgreenCtx hCtx;
} cuGreenCtxDestroy_params;
#endif

#if MT_CUDA_HEADERS < 12050
typedef struct {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams; // a struct of its own
} CUctxCreateParams;

typedef struct {
    CUcontext *pctx;
    CUctxCreateParams *ctxCreateParams;
    unsigned flags;
    CUdevice dev;
} cuCtxCreate_v4_params;

typedef struct {
    CUstream *phStream;
    CUgreenCtx greenCtx;
    unsigned flags;
    int priority;
} cuGreenCtxStreamCreate_params;
#endif

#if MT_CUDA_HEADERS < 13000
typedef struct {
    CUmemoryPool *pool;
    CUmemLocation *location;
    CUmemAllocationType type;
} cuMemGetMemPool_params;

typedef struct {
    CUmemoryPool *pool_out;
    CUmemLocation *location;
    CUmemAllocationType type;
} cuMemGetDefaultMemPool_params;

typedef struct {
    CUmemLocation *location;
    CUmemAllocationType type;
    CUmemoryPool pool;
} cuMemSetMemPool_params;

typedef struct {
    CUcontext ctx;
} cuCtxSynchronize_v2_params;
#endif

#endif
