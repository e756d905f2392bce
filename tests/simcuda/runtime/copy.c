// Copies: which driver function a copy becomes depends on its kind, as on the real runtime.
#include "tests/simcuda/runtime/translate.h"

cudaError_t rt_cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                               cudaStream_t stream) {
    if (!count) return cudaSuccess;
    const struct rt_driver *driver = rt_driver();
    CUdeviceptr to = (CUdeviceptr)dst, from = (CUdeviceptr)src;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return rt_error(driver->cuMemcpyHtoDAsync(to, src, count, stream));
    case cudaMemcpyDeviceToHost:
        return rt_error(driver->cuMemcpyDtoHAsync(dst, from, count, stream));
    case cudaMemcpyDeviceToDevice:
        return rt_error(driver->cuMemcpyDtoDAsync(to, from, count, stream));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
        return rt_error(driver->cuMemcpyAsync(to, from, count, stream));
    default:
        return cudaErrorInvalidMemcpyDirection;
    }
}

cudaError_t rt_cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    if (!count) return cudaSuccess;
    const struct rt_driver *driver = rt_driver();
    CUdeviceptr to = (CUdeviceptr)dst, from = (CUdeviceptr)src;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return rt_error(driver->cuMemcpyHtoD(to, src, count));
    case cudaMemcpyDeviceToHost:
        return rt_error(driver->cuMemcpyDtoH(dst, from, count));
    case cudaMemcpyDeviceToDevice:
        return rt_error(driver->cuMemcpyDtoD(to, from, count));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
        return rt_error(driver->cuMemcpy(to, from, count));
    default:
        return cudaErrorInvalidMemcpyDirection;
    }
}

cudaError_t rt_cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                   cudaStream_t stream) {
    CUcontext to, from;
    cudaError_t error = rt_context_of(dstDevice, &to);
    if (error == cudaSuccess) error = rt_context_of(srcDevice, &from);
    return error == cudaSuccess
               ? rt_error(rt_driver()->cuMemcpyPeerAsync((CUdeviceptr)dst, to, (CUdeviceptr)src, from, count, stream))
               : error;
}

cudaError_t rt_cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count) {
    CUcontext to, from;
    cudaError_t error = rt_context_of(dstDevice, &to);
    if (error == cudaSuccess) error = rt_context_of(srcDevice, &from);
    return error == cudaSuccess
               ? rt_error(rt_driver()->cuMemcpyPeer((CUdeviceptr)dst, to, (CUdeviceptr)src, from, count))
               : error;
}

// The memory types of a copy's two sides. False: no such kind.
static bool types_of(enum cudaMemcpyKind kind, CUmemorytype *to, CUmemorytype *from) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return false;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    *to = kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED : to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    *from = kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED : from_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    return true;
}

// A rectangle between rows in memory and rows in memory or an array.
struct rectangle {
    void *to;
    const void *from;
    CUarray to_array, from_array; // NULL: `to`, `from`
    size_t to_pitch, from_pitch;
    size_t to_x, to_y, from_x, from_y; // in an array, bytes and rows
    size_t width, height;
    enum cudaMemcpyKind kind;
};

static cudaError_t translate(const struct rectangle *rectangle, CUDA_MEMCPY2D *copy) {
    *copy = (CUDA_MEMCPY2D){.srcXInBytes = rectangle->from_x,
                            .srcY = rectangle->from_y,
                            .srcHost = rectangle->from,
                            .srcDevice = (CUdeviceptr)rectangle->from,
                            .srcArray = rectangle->from_array,
                            .srcPitch = rectangle->from_pitch,
                            .dstXInBytes = rectangle->to_x,
                            .dstY = rectangle->to_y,
                            .dstHost = rectangle->to,
                            .dstDevice = (CUdeviceptr)rectangle->to,
                            .dstArray = rectangle->to_array,
                            .dstPitch = rectangle->to_pitch,
                            .WidthInBytes = rectangle->width,
                            .Height = rectangle->height};
    if (!types_of(rectangle->kind, &copy->dstMemoryType, &copy->srcMemoryType)) return cudaErrorInvalidMemcpyDirection;
    if (rectangle->to_array)
        copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    else if (rectangle->width > rectangle->to_pitch)
        return cudaErrorInvalidPitchValue;
    if (rectangle->from_array)
        copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    else if (rectangle->width > rectangle->from_pitch)
        return cudaErrorInvalidPitchValue;
    return cudaSuccess;
}

static cudaError_t copy_rectangle(const struct rectangle *rectangle) {
    CUDA_MEMCPY2D copy;
    cudaError_t error = translate(rectangle, &copy);
    return error == cudaSuccess ? rt_error(rt_driver()->cuMemcpy2DUnaligned(&copy)) : error;
}

static cudaError_t copy_rectangle_async(const struct rectangle *rectangle, cudaStream_t stream) {
    CUDA_MEMCPY2D copy;
    cudaError_t error = translate(rectangle, &copy);
    return error == cudaSuccess ? rt_error(rt_driver()->cuMemcpy2DAsync(&copy, stream)) : error;
}

cudaError_t rt_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            enum cudaMemcpyKind kind) {
    struct rectangle rectangle = {.to = dst,
                                  .from = src,
                                  .to_pitch = dpitch,
                                  .from_pitch = spitch,
                                  .width = width,
                                  .height = height,
                                  .kind = kind};
    return copy_rectangle(&rectangle);
}

cudaError_t rt_cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                                 enum cudaMemcpyKind kind, cudaStream_t stream) {
    struct rectangle rectangle = {.to = dst,
                                  .from = src,
                                  .to_pitch = dpitch,
                                  .from_pitch = spitch,
                                  .width = width,
                                  .height = height,
                                  .kind = kind};
    return copy_rectangle_async(&rectangle, stream);
}

cudaError_t rt_cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                   size_t width, size_t height, enum cudaMemcpyKind kind) {
    struct rectangle rectangle = {.to_array = (CUarray)dst,
                                  .to_x = wOffset,
                                  .to_y = hOffset,
                                  .from = src,
                                  .from_pitch = spitch,
                                  .width = width,
                                  .height = height,
                                  .kind = kind};
    return copy_rectangle(&rectangle);
}

cudaError_t rt_cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                        size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    struct rectangle rectangle = {.to_array = (CUarray)dst,
                                  .to_x = wOffset,
                                  .to_y = hOffset,
                                  .from = src,
                                  .from_pitch = spitch,
                                  .width = width,
                                  .height = height,
                                  .kind = kind};
    return copy_rectangle_async(&rectangle, stream);
}

cudaError_t rt_cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    struct rectangle rectangle = {.to = dst,
                                  .to_pitch = dpitch,
                                  .from_array = (CUarray)src,
                                  .from_x = wOffset,
                                  .from_y = hOffset,
                                  .width = width,
                                  .height = height,
                                  .kind = kind};
    return copy_rectangle(&rectangle);
}

cudaError_t rt_cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                          size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream) {
    struct rectangle rectangle = {.to = dst,
                                  .to_pitch = dpitch,
                                  .from_array = (CUarray)src,
                                  .from_x = wOffset,
                                  .from_y = hOffset,
                                  .width = width,
                                  .height = height,
                                  .kind = kind};
    return copy_rectangle_async(&rectangle, stream);
}

cudaError_t rt_cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                        size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                        enum cudaMemcpyKind kind) {
    struct rectangle rectangle = {.to_array = (CUarray)dst,
                                  .to_x = wOffsetDst,
                                  .to_y = hOffsetDst,
                                  .from_array = (CUarray)src,
                                  .from_x = wOffsetSrc,
                                  .from_y = hOffsetSrc,
                                  .width = width,
                                  .height = height,
                                  .kind = kind};
    return copy_rectangle(&rectangle);
}

cudaError_t rt_cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                 enum cudaMemcpyKind kind) {
    return rt_cudaMemcpy2DToArray(dst, wOffset, hOffset, src, count, count, 1, kind);
}

cudaError_t rt_cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                   enum cudaMemcpyKind kind) {
    return rt_cudaMemcpy2DFromArray(dst, count, src, wOffset, hOffset, count, 1, kind);
}
