// The entry points of arrays. Their memory counts as measured: width × height × depth × element, in granules once
// large.
#include "tests/simcuda/driver/array.h"
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/linear.h"
#include "tests/simcuda/driver/sharing.h"
#include <stdlib.h>

struct sim_array *sim_array_of(CUarray handle) {
    return sim_object_of(handle, SIM_KIND_ARRAY);
}

unsigned sim_array_element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
    unsigned channels = descriptor->NumChannels;
    if (channels != 1 && channels != 2 && channels != 4) return 0;
    switch (descriptor->Format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return channels;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2 * channels;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4 * channels;
    default:
        return 0;
    }
}

static size_t at_least_one(size_t extent) {
    return extent ? extent : 1;
}

// Bytes of an array, 0 if the descriptor is not valid or they can't be counted.
static uint64_t array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
    uint64_t bytes = sim_array_element_bytes(descriptor);
    if (!descriptor->Width || __builtin_mul_overflow(bytes, descriptor->Width, &bytes) ||
        __builtin_mul_overflow(bytes, at_least_one(descriptor->Height), &bytes) ||
        __builtin_mul_overflow(bytes, at_least_one(descriptor->Depth), &bytes))
        return 0;
    return bytes;
}

static struct sim_array *new_array(struct sim_context *context, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                   uint64_t start, struct sim_range *range) {
    struct sim_array *array = calloc(1, sizeof(*array));
    if (!array) return NULL;
    array->descriptor = *descriptor;
    array->start = start;
    array->range = range;
    array->bytes = array_bytes(descriptor);
    sim_object_add(&array->object, SIM_KIND_ARRAY, context);
    return array;
}

static void end_array(struct sim_array *array) {
    sim_object_remove(&array->object);
    if (array->range) sim_linear_give(array->range);
    free(array);
}

CUresult sim_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
    if (!pHandle || !pAllocateArray || !array_bytes(pAllocateArray)) return CUDA_ERROR_INVALID_VALUE;
    struct sim_context *context = sim_context_current();
    struct sim_range *range = NULL;
    sim_lock();
    CUresult result = sim_capture_forbids_unsafe();
    if (result == CUDA_SUCCESS) result = sim_linear_take(context, array_bytes(pAllocateArray), SIM_ARRAY, &range);
    if (result == CUDA_SUCCESS) {
        struct sim_array *array = new_array(context, pAllocateArray, range->start, range);
        if (!array) {
            sim_linear_give(range);
            result = CUDA_ERROR_OUT_OF_MEMORY;
        }
        *pHandle = (CUarray)array;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
    if (!pAllocateArray) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = pAllocateArray->Width,
                                          .Height = pAllocateArray->Height,
                                          .Format = pAllocateArray->Format,
                                          .NumChannels = pAllocateArray->NumChannels};
    return sim_cuArray3DCreate_v2(pHandle, &descriptor);
}

// The forms of 32-bit CUDA. The array is a handle, so they work still.
CUresult sim_cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray) {
    if (!pAllocateArray) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = pAllocateArray->Width,
                                          .Height = pAllocateArray->Height,
                                          .Depth = pAllocateArray->Depth,
                                          .Format = pAllocateArray->Format,
                                          .NumChannels = pAllocateArray->NumChannels,
                                          .Flags = pAllocateArray->Flags};
    return sim_cuArray3DCreate_v2(pHandle, &descriptor);
}

CUresult sim_cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray) {
    if (!pAllocateArray) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY_DESCRIPTOR descriptor = {.Width = pAllocateArray->Width,
                                        .Height = pAllocateArray->Height,
                                        .Format = pAllocateArray->Format,
                                        .NumChannels = pAllocateArray->NumChannels};
    return sim_cuArrayCreate_v2(pHandle, &descriptor);
}

CUresult sim_cuArrayDestroy(CUarray hArray) {
    sim_lock();
    struct sim_array *array = sim_array_of(hArray);
    bool owned = array && array->range;
    if (owned) end_array(array);
    sim_unlock();
    return owned ? CUDA_SUCCESS : array ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    if (!pArrayDescriptor) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_array *array = sim_array_of(hArray);
    if (array) *pArrayDescriptor = array->descriptor;
    sim_unlock();
    return array ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    CUDA_ARRAY3D_DESCRIPTOR full;
    if (!pArrayDescriptor) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = sim_cuArray3DGetDescriptor_v2(&full, hArray);
    if (result == CUDA_SUCCESS)
        *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){
            .Width = full.Width, .Height = full.Height, .Format = full.Format, .NumChannels = full.NumChannels};
    return result;
}

CUresult sim_cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUarray array,
                                          CUdevice device) {
    if (!memoryRequirements || !sim_device(device)) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_array *found = sim_array_of(array);
    if (found)
        *memoryRequirements =
            (CUDA_ARRAY_MEMORY_REQUIREMENTS){.size = sim_round_up(found->bytes, 65536), .alignment = 65536};
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array) {
    if (!sparseProperties) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_array *found = sim_array_of(array);
    bool sparse = found && found->descriptor.Flags & CUDA_ARRAY3D_SPARSE;
    if (sparse) {
        unsigned element = sim_array_element_bytes(&found->descriptor);
        *sparseProperties = (CUDA_ARRAY_SPARSE_PROPERTIES){.miptailSize = 0};
        sparseProperties->tileExtent.width = 65536 / 64 / element;
        sparseProperties->tileExtent.height = 64;
        sparseProperties->tileExtent.depth = 1;
    }
    sim_unlock();
    return sparse ? CUDA_SUCCESS : found ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

// Mipmapped arrays are never sparse here.
CUresult sim_cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                                 CUmipmappedArray mipmap) {
    if (!sparseProperties) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    bool found = sim_object_of(mipmap, SIM_KIND_MIPMAP);
    sim_unlock();
    return found ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

static size_t halved(size_t extent, unsigned level) {
    return extent && !(extent >> level) ? 1 : extent >> level;
}

static CUDA_ARRAY3D_DESCRIPTOR level_of(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned level) {
    CUDA_ARRAY3D_DESCRIPTOR result = *descriptor;
    result.Width = halved(descriptor->Width, level);
    result.Height = halved(descriptor->Height, level);
    if (!(descriptor->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
        result.Depth = halved(descriptor->Depth, level);
    return result;
}

uint64_t sim_mipmap_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < levels; i++) {
        CUDA_ARRAY3D_DESCRIPTOR level = level_of(descriptor, i);
        bytes += array_bytes(&level);
    }
    return bytes;
}

static void end_mipmap(struct sim_mipmap *mipmap) {
    for (unsigned i = 0; i < mipmap->level_count; i++) end_array(mipmap->levels[i]);
    sim_object_remove(&mipmap->object);
    if (mipmap->range && mipmap->range->use == SIM_IMPORTED)
        sim_imported_give(mipmap->range);
    else if (mipmap->range)
        sim_linear_give(mipmap->range);
    free(mipmap);
}

CUresult sim_mipmap_new(struct sim_mipmap **result, struct sim_context *context,
                        const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels, uint64_t start) {
    struct sim_mipmap *mipmap = calloc(1, sizeof(*mipmap));
    if (!mipmap) return CUDA_ERROR_OUT_OF_MEMORY;
    sim_object_add(&mipmap->object, SIM_KIND_MIPMAP, context);
    for (unsigned i = 0; i < levels; i++) {
        CUDA_ARRAY3D_DESCRIPTOR level = level_of(descriptor, i);
        // Levels are their mipmap's, and end with it, not with the context.
        struct sim_array *array = new_array(NULL, &level, start, NULL);
        if (!array) {
            end_mipmap(mipmap);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        mipmap->levels[mipmap->level_count++] = array;
        start += array->bytes;
    }
    *result = mipmap;
    return CUDA_SUCCESS;
}

// One at least, and none after that of a single element.
static unsigned clamp_levels(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels) {
    size_t extent = descriptor->Width | descriptor->Height;
    unsigned most = 1;
    if (!(descriptor->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP))) extent |= descriptor->Depth;
    for (; extent > 1; extent /= 2) most++;
    return levels == 0 ? 1 : levels > most ? most : levels;
}

CUresult sim_cuMipmappedArrayCreate(CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                    unsigned int numMipmapLevels) {
    if (!pHandle || !pMipmappedArrayDesc || !array_bytes(pMipmappedArrayDesc)) return CUDA_ERROR_INVALID_VALUE;
    numMipmapLevels = clamp_levels(pMipmappedArrayDesc, numMipmapLevels);
    if (numMipmapLevels > SIM_MAX_LEVELS) return CUDA_ERROR_INVALID_VALUE;
    struct sim_context *context = sim_context_current();
    struct sim_range *range = NULL;
    sim_lock();
    CUresult result = sim_capture_forbids_unsafe();
    if (result == CUDA_SUCCESS)
        result = sim_linear_take(context, sim_mipmap_bytes(pMipmappedArrayDesc, numMipmapLevels), SIM_ARRAY, &range);
    if (result == CUDA_SUCCESS) {
        struct sim_mipmap *mipmap;
        result = sim_mipmap_new(&mipmap, context, pMipmappedArrayDesc, numMipmapLevels, range->start);
        if (result == CUDA_SUCCESS) {
            mipmap->range = range;
            *pHandle = (CUmipmappedArray)mipmap;
        } else {
            sim_linear_give(range);
        }
    }
    sim_unlock();
    return result;
}

CUresult sim_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level) {
    sim_lock();
    const struct sim_mipmap *mipmap = sim_object_of(hMipmappedArray, SIM_KIND_MIPMAP);
    bool valid = mipmap && pLevelArray && level < mipmap->level_count;
    if (valid) *pLevelArray = (CUarray)mipmap->levels[level];
    sim_unlock();
    return valid ? CUDA_SUCCESS : mipmap ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                                   CUmipmappedArray mipmap, CUdevice device) {
    if (!memoryRequirements || !sim_device(device)) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_mipmap *found = sim_object_of(mipmap, SIM_KIND_MIPMAP);
    uint64_t bytes = 0;
    for (unsigned i = 0; found && i < found->level_count; i++) bytes += found->levels[i]->bytes;
    sim_unlock();
    *memoryRequirements = (CUDA_ARRAY_MEMORY_REQUIREMENTS){.size = sim_round_up(bytes, 65536), .alignment = 65536};
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
    sim_lock();
    struct sim_mipmap *mipmap = sim_object_of(hMipmappedArray, SIM_KIND_MIPMAP);
    if (mipmap) end_mipmap(mipmap);
    sim_unlock();
    return mipmap ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

void sim_arrays_end(struct sim_context *context) {
    for (struct sim_mipmap *mipmap; (mipmap = sim_object_owned(SIM_KIND_MIPMAP, context));) end_mipmap(mipmap);
    for (struct sim_array *array; (array = sim_object_owned(SIM_KIND_ARRAY, context));) end_array(array);
}
