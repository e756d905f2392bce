// Three-dimensional copies, copies to and from symbols, and fills.
#include "tests/simcuda/runtime/translate.h"

// Bytes of one element of an array.
static size_t element_bytes(cudaArray_const_t array) {
    struct cudaChannelFormatDesc desc;
    if (rt_cudaArrayGetInfo(&desc, NULL, NULL, (cudaArray_t)array) != cudaSuccess) return 1;
    return (size_t)(desc.x + desc.y + desc.z + desc.w) / 8;
}

cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *params, CUDA_MEMCPY3D *copy) {
    if (!params || (params->kind > cudaMemcpyDefault)) return cudaErrorInvalidValue;
    bool to_device = params->kind == cudaMemcpyHostToDevice || params->kind == cudaMemcpyDeviceToDevice;
    bool from_device = params->kind == cudaMemcpyDeviceToHost || params->kind == cudaMemcpyDeviceToDevice;
    bool unified = params->kind == cudaMemcpyDefault;
    // With an array on either side, widths and offsets in it are in elements; without one all are in bytes.
    size_t to_unit = params->dstArray ? element_bytes(params->dstArray) : 1;
    size_t from_unit = params->srcArray ? element_bytes(params->srcArray) : 1;
    size_t width_unit = params->srcArray ? from_unit : to_unit;
    *copy = (CUDA_MEMCPY3D){.srcXInBytes = params->srcPos.x * from_unit,
                            .srcY = params->srcPos.y,
                            .srcZ = params->srcPos.z,
                            .srcHost = params->srcPtr.ptr,
                            .srcDevice = (CUdeviceptr)params->srcPtr.ptr,
                            .srcArray = (CUarray)params->srcArray,
                            .srcPitch = params->srcPtr.pitch,
                            .srcHeight = params->srcPtr.ysize,
                            .dstXInBytes = params->dstPos.x * to_unit,
                            .dstY = params->dstPos.y,
                            .dstZ = params->dstPos.z,
                            .dstHost = params->dstPtr.ptr,
                            .dstDevice = (CUdeviceptr)params->dstPtr.ptr,
                            .dstArray = (CUarray)params->dstArray,
                            .dstPitch = params->dstPtr.pitch,
                            .dstHeight = params->dstPtr.ysize,
                            .WidthInBytes = params->extent.width * width_unit,
                            .Height = params->extent.height,
                            .Depth = params->extent.depth};
    copy->srcMemoryType = params->srcArray ? CU_MEMORYTYPE_ARRAY
                          : unified        ? CU_MEMORYTYPE_UNIFIED
                          : from_device    ? CU_MEMORYTYPE_DEVICE
                                           : CU_MEMORYTYPE_HOST;
    copy->dstMemoryType = params->dstArray ? CU_MEMORYTYPE_ARRAY
                          : unified        ? CU_MEMORYTYPE_UNIFIED
                          : to_device      ? CU_MEMORYTYPE_DEVICE
                                           : CU_MEMORYTYPE_HOST;
    return cudaSuccess;
}

cudaError_t rt_cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D copy;
    cudaError_t error = rt_copy_3d(p, &copy);
    return error == cudaSuccess ? rt_error(rt_driver()->cuMemcpy3D(&copy)) : error;
}

cudaError_t rt_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    CUDA_MEMCPY3D copy;
    cudaError_t error = rt_copy_3d(p, &copy);
    return error == cudaSuccess ? rt_error(rt_driver()->cuMemcpy3DAsync(&copy, stream)) : error;
}

// The address at an offset in a variable that count bytes fit behind.
static cudaError_t inside(const void *symbol, size_t offset, size_t count, char **address) {
    CUdeviceptr start;
    size_t bytes;
    cudaError_t error = rt_variable(symbol, &start, &bytes);
    if (error == cudaSuccess && (offset > bytes || count > bytes - offset)) error = cudaErrorInvalidValue;
    if (error == cudaSuccess) *address = (char *)start + offset;
    return error;
}

cudaError_t rt_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                                  enum cudaMemcpyKind kind) {
    char *address;
    cudaError_t error = inside(symbol, offset, count, &address);
    return error == cudaSuccess ? rt_cudaMemcpy(address, src, count, kind) : error;
}

cudaError_t rt_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
    char *address;
    cudaError_t error = inside(symbol, offset, count, &address);
    return error == cudaSuccess ? rt_cudaMemcpyAsync(address, src, count, kind, stream) : error;
}

cudaError_t rt_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind) {
    char *address;
    cudaError_t error = inside(symbol, offset, count, &address);
    return error == cudaSuccess ? rt_cudaMemcpy(dst, address, count, kind) : error;
}

cudaError_t rt_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t stream) {
    char *address;
    cudaError_t error = inside(symbol, offset, count, &address);
    return error == cudaSuccess ? rt_cudaMemcpyAsync(dst, address, count, kind, stream) : error;
}

cudaError_t rt_cudaMemset(void *devPtr, int value, size_t count) {
    return rt_error(rt_driver()->cuMemsetD8((CUdeviceptr)devPtr, (unsigned char)value, count));
}

cudaError_t rt_cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
    return rt_error(rt_driver()->cuMemsetD8Async((CUdeviceptr)devPtr, (unsigned char)value, count, stream));
}

cudaError_t rt_cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
    return rt_error(rt_driver()->cuMemsetD2D8((CUdeviceptr)devPtr, pitch, (unsigned char)value, width, height));
}

cudaError_t rt_cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                                 cudaStream_t stream) {
    return rt_error(
        rt_driver()->cuMemsetD2D8Async((CUdeviceptr)devPtr, pitch, (unsigned char)value, width, height, stream));
}

// As rows of all slices: the slices of a pitched allocation follow each other.
cudaError_t rt_cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent) {
    return rt_cudaMemset2D(pitchedDevPtr.ptr, pitchedDevPtr.pitch, value, extent.width, extent.height * extent.depth);
}

cudaError_t rt_cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                                 cudaStream_t stream) {
    return rt_cudaMemset2DAsync(pitchedDevPtr.ptr, pitchedDevPtr.pitch, value, extent.width,
                                extent.height * extent.depth, stream);
}
