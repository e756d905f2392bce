/*
 * What NVTX's memory extension consists of: nvToolsExtMem.h, or, where the toolkit has none (before CUDA 13.0), the
 * same declared here, as that header has it in CUDA 13.0. tests/unit/test_newer_cuda.c holds one against the other.
 */
#ifndef MEMTRACE_PRELOAD_NVTX_EXTENSION_H
#define MEMTRACE_PRELOAD_NVTX_EXTENSION_H

#include "preload/nvtx/text.h"

#if __has_include(<nvtx3/nvToolsExtMem.h>) && !defined(MT_NVTX_DECLARED)
#include <nvtx3/nvToolsExtMem.h>
#else

#define NVTX_EXT_MODULEID_MEM                  1
#define NVTX_EXT_COMPATID_MEM                  0x0102
#define NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT        0x2
#define NVTX_MEM_TYPE_VIRTUAL_ADDRESS          0x1

// Slots of the extension's table.
#define NVTX3EXT_CBID_nvtxMemHeapRegister      0
#define NVTX3EXT_CBID_nvtxMemHeapUnregister    1
#define NVTX3EXT_CBID_nvtxMemHeapReset         2
#define NVTX3EXT_CBID_nvtxMemRegionsRegister   3
#define NVTX3EXT_CBID_nvtxMemRegionsResize     4
#define NVTX3EXT_CBID_nvtxMemRegionsUnregister 5
#define NVTX3EXT_CBID_nvtxMemRegionsName       6

typedef struct nvtxMemHeap_v1 *nvtxMemHeapHandle_t;
typedef struct nvtxMemRegion_v1 *nvtxMemRegionHandle_t;

typedef union {
    const void *pointer;
    nvtxMemRegionHandle_t handle;
} nvtxMemRegionRef_t;

typedef struct {
    size_t size;
    const void *ptr;
} nvtxMemVirtualRangeDesc_t;

typedef struct {
    uint16_t extCompatID;
    uint16_t structSize;
    uint32_t reserved0;
    uint32_t usage;
    uint32_t type;
    size_t typeSpecificDescSize;
    const void *typeSpecificDesc;
    uint32_t category;
    uint32_t messageType;
    nvtxMessageValue_t message;
} nvtxMemHeapDesc_t;

typedef struct {
    uint16_t extCompatID;
    uint16_t structSize;
    uint32_t regionType;
    nvtxMemHeapHandle_t heap;
    size_t regionCount;
    size_t regionDescElementSize;
    const void *regionDescElements;
    nvtxMemRegionHandle_t *regionHandleElementsOut;
} nvtxMemRegionsRegisterBatch_t;

typedef struct {
    uint16_t extCompatID;
    uint16_t structSize;
    uint32_t regionType;
    size_t regionDescCount;
    size_t regionDescElementSize;
    const void *regionDescElements;
} nvtxMemRegionsResizeBatch_t;

typedef struct {
    uint16_t extCompatID;
    uint16_t structSize;
    uint32_t refType;
    size_t refCount;
    size_t refElementSize;
    const nvtxMemRegionRef_t *refElements;
} nvtxMemRegionsUnregisterBatch_t;

typedef struct {
    uint32_t regionRefType;
    uint32_t nameType;
    nvtxMemRegionRef_t region;
    nvtxMessageValue_t name;
    uint32_t category;
    uint32_t reserved0;
} nvtxMemRegionNameDesc_t;

typedef struct {
    uint16_t extCompatID;
    uint16_t structSize;
    uint32_t reserved0;
    size_t regionCount;
    size_t regionElementSize;
    const nvtxMemRegionNameDesc_t *regionElements;
    size_t reserved1;
} nvtxMemRegionsNameBatch_t;

// How an extension asks a tool for its functions (nvtxDetail/nvtxExtTypes.h).
typedef struct {
    size_t segmentId;
    size_t slotCount;
    intptr_t *functionSlots;
} nvtxExtModuleSegment_t;

typedef struct {
    uint16_t nvtxVer;
    uint16_t structSize;
    uint16_t moduleId;
    uint16_t compatId;
    size_t segmentsCount;
    nvtxExtModuleSegment_t *segments;
    const void *(NVTX_API *getExportFunction)(uint32_t id);
    const void *extInfo;
} nvtxExtModuleInfo_t;

#endif
#endif
