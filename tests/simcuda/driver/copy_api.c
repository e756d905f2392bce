// The entry points of copies and fills: each becomes a work and is submitted. The synchronous forms go to the default
// stream, and are done when they return, as everything is here.
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/work.h"

// A copy of bytes in a row between memory of two types.
static CUresult copy_bytes(CUmemorytype to_type, uint64_t to, CUmemorytype from_type, uint64_t from, size_t bytes,
                           CUstream stream) {
    struct sim_work work = {
        .type = SIM_WORK_COPY,
        .copy = {.WidthInBytes = bytes, .Height = 1, .Depth = 1, .srcMemoryType = from_type, .dstMemoryType = to_type}};
    work.copy.srcHost = (const void *)from;
    work.copy.srcDevice = from;
    work.copy.dstHost = (void *)to;
    work.copy.dstDevice = to;
    return sim_submit(stream, &work);
}

// The same with an array on one side or both; an array's offset is in bytes.
static CUresult copy_array(CUDA_MEMCPY3D copy, CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                           size_t bytes, CUstream stream) {
    if (to) {
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = to;
        copy.dstXInBytes = to_offset;
    }
    if (from) {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = from;
        copy.srcXInBytes = from_offset;
    }
    copy.WidthInBytes = bytes;
    copy.Height = copy.Depth = 1;
    struct sim_work work = {.type = SIM_WORK_COPY, .copy = copy};
    return sim_submit(stream, &work);
}

#define HOST    CU_MEMORYTYPE_HOST
#define DEVICE  CU_MEMORYTYPE_DEVICE
#define UNIFIED CU_MEMORYTYPE_UNIFIED

CUresult sim_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
    return copy_bytes(UNIFIED, dst, UNIFIED, src, ByteCount, NULL);
}

CUresult sim_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
    return copy_bytes(UNIFIED, dst, UNIFIED, src, ByteCount, hStream);
}

CUresult sim_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                               size_t ByteCount, CUstream hStream) {
    (void)dstContext;
    (void)srcContext;
    return copy_bytes(DEVICE, dstDevice, DEVICE, srcDevice, ByteCount, hStream);
}

CUresult sim_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                          size_t ByteCount) {
    return sim_cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, NULL);
}

CUresult sim_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream) {
    return copy_bytes(DEVICE, dstDevice, HOST, (uint64_t)srcHost, ByteCount, hStream);
}

CUresult sim_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
    return sim_cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, NULL);
}

CUresult sim_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
    return copy_bytes(HOST, (uint64_t)dstHost, DEVICE, srcDevice, ByteCount, hStream);
}

CUresult sim_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
    return sim_cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, NULL);
}

CUresult sim_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
    return copy_bytes(DEVICE, dstDevice, DEVICE, srcDevice, ByteCount, hStream);
}

CUresult sim_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
    return sim_cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, NULL);
}

CUresult sim_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount) {
    CUDA_MEMCPY3D copy = {.srcMemoryType = DEVICE, .srcDevice = srcDevice};
    return copy_array(copy, dstArray, dstOffset, NULL, 0, ByteCount, NULL);
}

CUresult sim_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    CUDA_MEMCPY3D copy = {.dstMemoryType = DEVICE, .dstDevice = dstDevice};
    return copy_array(copy, NULL, 0, srcArray, srcOffset, ByteCount, NULL);
}

CUresult sim_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                                  CUstream hStream) {
    CUDA_MEMCPY3D copy = {.srcMemoryType = HOST, .srcHost = srcHost};
    return copy_array(copy, dstArray, dstOffset, NULL, 0, ByteCount, hStream);
}

CUresult sim_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount) {
    return sim_cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount, NULL);
}

CUresult sim_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                  CUstream hStream) {
    CUDA_MEMCPY3D copy = {.dstMemoryType = HOST, .dstHost = dstHost};
    return copy_array(copy, NULL, 0, srcArray, srcOffset, ByteCount, hStream);
}

CUresult sim_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    return sim_cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount, NULL);
}

CUresult sim_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    return copy_array((CUDA_MEMCPY3D){0}, dstArray, dstOffset, srcArray, srcOffset, ByteCount, NULL);
}

CUresult sim_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
    if (!pCopy) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_COPY, .copy = *pCopy};
    return sim_submit(hStream, &work);
}

CUresult sim_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) {
    return sim_cuMemcpy3DAsync_v2(pCopy, NULL);
}

CUresult sim_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) {
    if (!pCopy) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D copy = {.srcXInBytes = pCopy->srcXInBytes,
                          .srcY = pCopy->srcY,
                          .srcZ = pCopy->srcZ,
                          .srcMemoryType = pCopy->srcMemoryType,
                          .srcHost = pCopy->srcHost,
                          .srcDevice = pCopy->srcDevice,
                          .srcArray = pCopy->srcArray,
                          .srcPitch = pCopy->srcPitch,
                          .srcHeight = pCopy->srcHeight,
                          .dstXInBytes = pCopy->dstXInBytes,
                          .dstY = pCopy->dstY,
                          .dstZ = pCopy->dstZ,
                          .dstMemoryType = pCopy->dstMemoryType,
                          .dstHost = pCopy->dstHost,
                          .dstDevice = pCopy->dstDevice,
                          .dstArray = pCopy->dstArray,
                          .dstPitch = pCopy->dstPitch,
                          .dstHeight = pCopy->dstHeight,
                          .WidthInBytes = pCopy->WidthInBytes,
                          .Height = pCopy->Height,
                          .Depth = pCopy->Depth};
    return sim_cuMemcpy3DAsync_v2(&copy, hStream);
}

CUresult sim_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy) {
    return sim_cuMemcpy3DPeerAsync(pCopy, NULL);
}

CUresult sim_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
    if (!pCopy) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D copy = {.srcXInBytes = pCopy->srcXInBytes,
                          .srcY = pCopy->srcY,
                          .srcMemoryType = pCopy->srcMemoryType,
                          .srcHost = pCopy->srcHost,
                          .srcDevice = pCopy->srcDevice,
                          .srcArray = pCopy->srcArray,
                          .srcPitch = pCopy->srcPitch,
                          .dstXInBytes = pCopy->dstXInBytes,
                          .dstY = pCopy->dstY,
                          .dstMemoryType = pCopy->dstMemoryType,
                          .dstHost = pCopy->dstHost,
                          .dstDevice = pCopy->dstDevice,
                          .dstArray = pCopy->dstArray,
                          .dstPitch = pCopy->dstPitch,
                          .WidthInBytes = pCopy->WidthInBytes,
                          .Height = pCopy->Height,
                          .Depth = 1};
    return sim_cuMemcpy3DAsync_v2(&copy, hStream);
}

CUresult sim_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) {
    return sim_cuMemcpy2DAsync_v2(pCopy, NULL);
}

CUresult sim_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) {
    return sim_cuMemcpy2DAsync_v2(pCopy, NULL);
}

CUresult sim_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                   CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream hStream) {
    if (!dsts || !srcs || !sizes || !count || !attrs || !attrsIdxs || !numAttrs) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        CUresult result = sim_cuMemcpyAsync(dsts[i], srcs[i], sizes[i], hStream);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

static CUresult fill(CUdeviceptr start, size_t pitch, unsigned value, unsigned element_bytes, size_t width,
                     size_t height, CUstream stream) {
    if (!width || !height) return CUDA_SUCCESS;
    size_t bytes = width * element_bytes;
    sim_lock();
    const struct sim_range *range = sim_memory_find(start);
    uint64_t end = start + (height - 1) * pitch + bytes;
    bool inside = range && start % element_bytes == 0 && end <= range->start + range->bytes;
    sim_unlock();
    if (!inside) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_FILL,
                            .fill = {.start = start,
                                     .pitch = pitch,
                                     .value = value,
                                     .element_bytes = element_bytes,
                                     .width = width,
                                     .height = height}};
    return sim_submit(stream, &work);
}

// The four forms of a fill with elements of one size.
#define FILLS(bits, type)                                                                                              \
    CUresult sim_cuMemsetD##bits##Async(CUdeviceptr start, type value, size_t count, CUstream stream) {                \
        return fill(start, 0, value, bits / 8, count, 1, stream);                                                      \
    }                                                                                                                  \
    CUresult sim_cuMemsetD##bits##_v2(CUdeviceptr start, type value, size_t count) {                                   \
        return fill(start, 0, value, bits / 8, count, 1, NULL);                                                        \
    }                                                                                                                  \
    CUresult sim_cuMemsetD2D##bits##Async(CUdeviceptr start, size_t pitch, type value, size_t width, size_t height,    \
                                          CUstream stream) {                                                           \
        return fill(start, pitch, value, bits / 8, width, height, stream);                                             \
    }                                                                                                                  \
    CUresult sim_cuMemsetD2D##bits##_v2(CUdeviceptr start, size_t pitch, type value, size_t width, size_t height) {    \
        return fill(start, pitch, value, bits / 8, width, height, NULL);                                               \
    }

FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned int)
