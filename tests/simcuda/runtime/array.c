// Arrays and mipmapped arrays, and the translation of channel descriptors.
#include "tests/simcuda/runtime/runtime.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                    enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = f};
}

CUarray_format rt_array_format(const struct cudaChannelFormatDesc *desc, unsigned *channels) {
    *channels = (unsigned)((desc->x > 0) + (desc->y > 0) + (desc->z > 0) + (desc->w > 0));
    bool is_signed = desc->f == cudaChannelFormatKindSigned;
    switch (desc->x) {
    case 8:
        return is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
    case 16:
        if (desc->f == cudaChannelFormatKindFloat) return CU_AD_FORMAT_HALF;
        return is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
    default:
        if (desc->f == cudaChannelFormatKindFloat) return CU_AD_FORMAT_FLOAT;
        return is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
    }
}

static struct cudaChannelFormatDesc channels_of(const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
    int bits = 32;
    enum cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
    switch (descriptor->Format) {
    case CU_AD_FORMAT_SIGNED_INT8:
        kind = cudaChannelFormatKindSigned;
        bits = 8;
        break;
    case CU_AD_FORMAT_UNSIGNED_INT8:
        bits = 8;
        break;
    case CU_AD_FORMAT_SIGNED_INT16:
        kind = cudaChannelFormatKindSigned;
        bits = 16;
        break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
        bits = 16;
        break;
    case CU_AD_FORMAT_HALF:
        kind = cudaChannelFormatKindFloat;
        bits = 16;
        break;
    case CU_AD_FORMAT_SIGNED_INT32:
        kind = cudaChannelFormatKindSigned;
        break;
    case CU_AD_FORMAT_FLOAT:
        kind = cudaChannelFormatKindFloat;
        break;
    default:
        break;
    }
    unsigned count = descriptor->NumChannels;
    return (struct cudaChannelFormatDesc){
        .x = bits, .y = count > 1 ? bits : 0, .z = count > 2 ? bits : 0, .w = count > 3 ? bits : 0, .f = kind};
}

static CUDA_ARRAY3D_DESCRIPTOR descriptor_of(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                             unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    descriptor.Format = rt_array_format(desc, &descriptor.NumChannels);
    return descriptor;
}

cudaError_t rt_cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                 unsigned int flags) {
    if (!array || !desc) return cudaErrorInvalidValue;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = descriptor_of(desc, extent, flags);
    return rt_error(rt_driver()->cuArray3DCreate((CUarray *)array, &descriptor));
}

cudaError_t rt_cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                               size_t height, unsigned int flags) {
    return rt_cudaMalloc3DArray(array, desc, (struct cudaExtent){.width = width, .height = height}, flags);
}

cudaError_t rt_cudaFreeArray(cudaArray_t array) {
    return array ? rt_error(rt_driver()->cuArrayDestroy((CUarray)array)) : cudaSuccess;
}

cudaError_t rt_cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray, const struct cudaChannelFormatDesc *desc,
                                        struct cudaExtent extent, unsigned int numLevels, unsigned int flags) {
    if (!mipmappedArray || !desc) return cudaErrorInvalidValue;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = descriptor_of(desc, extent, flags);
    return rt_error(rt_driver()->cuMipmappedArrayCreate((CUmipmappedArray *)mipmappedArray, &descriptor, numLevels));
}

cudaError_t rt_cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                          unsigned int level) {
    return rt_error(
        rt_driver()->cuMipmappedArrayGetLevel((CUarray *)levelArray, (CUmipmappedArray)mipmappedArray, level));
}

cudaError_t rt_cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
    return mipmappedArray ? rt_error(rt_driver()->cuMipmappedArrayDestroy((CUmipmappedArray)mipmappedArray))
                          : cudaSuccess;
}

cudaError_t rt_cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                                cudaArray_t array) {
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    cudaError_t error = rt_error(rt_driver()->cuArray3DGetDescriptor(&descriptor, (CUarray)array));
    if (error != cudaSuccess) return error;
    if (desc) *desc = channels_of(&descriptor);
    if (extent) *extent = (struct cudaExtent){descriptor.Width, descriptor.Height, descriptor.Depth};
    if (flags) *flags = descriptor.Flags;
    return cudaSuccess;
}

cudaError_t rt_cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    return rt_cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)array);
}

cudaError_t rt_cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements, cudaArray_t array,
                                              int device) {
    CUDA_ARRAY_MEMORY_REQUIREMENTS found = {0};
    CUresult result = rt_driver()->cuArrayGetMemoryRequirements(&found, (CUarray)array, device);
    *memoryRequirements = (struct cudaArrayMemoryRequirements){.size = found.size, .alignment = found.alignment};
    return rt_error(result);
}

cudaError_t rt_cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                                       cudaMipmappedArray_t mipmap, int device) {
    CUDA_ARRAY_MEMORY_REQUIREMENTS found = {0};
    CUresult result = rt_driver()->cuMipmappedArrayGetMemoryRequirements(&found, (CUmipmappedArray)mipmap, device);
    *memoryRequirements = (struct cudaArrayMemoryRequirements){.size = found.size, .alignment = found.alignment};
    return rt_error(result);
}
