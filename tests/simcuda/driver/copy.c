// Doing copies and fills. Every copy is a three-dimensional one between host memory, device memory and arrays; one of n
// bytes is n wide, one high and one deep.
#include "tests/simcuda/driver/array.h"
#include "tests/simcuda/driver/config.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/work.h"
#include <string.h>

// One side of a copy.
struct side {
    CUmemorytype type;
    void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x_bytes, y, z;
    size_t pitch, height;
    // Resolved:
    char *start;
    size_t row, slice; // bytes
};

static void resolve(struct side *side, size_t width) {
    if (side->type == CU_MEMORYTYPE_ARRAY) {
        const struct sim_array *array = (const struct sim_array *)side->array;
        side->start = (char *)array->start;
        side->row = array->descriptor.Width * sim_array_element_bytes(&array->descriptor);
        side->slice = side->row * (array->descriptor.Height ? array->descriptor.Height : 1);
    } else {
        side->start = side->type == CU_MEMORYTYPE_HOST ? side->host : (char *)side->device;
        side->row = side->pitch ? side->pitch : width;
        side->slice = side->row * (side->height ? side->height : 1);
    }
    side->start += side->x_bytes + side->y * side->row + side->z * side->slice;
}

static struct side source(const CUDA_MEMCPY3D *copy) {
    return (struct side){.type = copy->srcMemoryType,
                         .host = (void *)copy->srcHost,
                         .device = copy->srcDevice,
                         .array = copy->srcArray,
                         .x_bytes = copy->srcXInBytes,
                         .y = copy->srcY,
                         .z = copy->srcZ,
                         .pitch = copy->srcPitch,
                         .height = copy->srcHeight};
}

static struct side destination(const CUDA_MEMCPY3D *copy) {
    return (struct side){.type = copy->dstMemoryType,
                         .host = copy->dstHost,
                         .device = copy->dstDevice,
                         .array = copy->dstArray,
                         .x_bytes = copy->dstXInBytes,
                         .y = copy->dstY,
                         .z = copy->dstZ,
                         .pitch = copy->dstPitch,
                         .height = copy->dstHeight};
}

// Whether the side is memory of its type, as far as the copy goes. Needs the lock.
static bool valid(struct side *side, const CUDA_MEMCPY3D *copy) {
    if (side->type == CU_MEMORYTYPE_ARRAY) {
        const struct sim_array *array = sim_array_of(side->array);
        if (!array) return false;
        resolve(side, copy->WidthInBytes);
        return (uint64_t)side->start + (copy->Height - 1) * side->row + copy->WidthInBytes +
                   (copy->Depth - 1) * side->slice <=
               array->start + array->bytes;
    }
    resolve(side, copy->WidthInBytes);
    if (side->type == CU_MEMORYTYPE_HOST || side->type == CU_MEMORYTYPE_UNIFIED) return side->start;
    if (side->type != CU_MEMORYTYPE_DEVICE) return false;
    uint64_t first = (uint64_t)side->start;
    uint64_t last = first + (copy->Depth - 1) * side->slice + (copy->Height - 1) * side->row + copy->WidthInBytes - 1;
    const struct sim_range *range = sim_memory_find(first);
    return range && last < range->start + range->bytes;
}

CUresult sim_copy_check(const CUDA_MEMCPY3D *copy) {
    if (!copy->WidthInBytes || !copy->Height || !copy->Depth) return CUDA_SUCCESS;
    struct side from = source(copy), to = destination(copy);
    sim_lock();
    bool both = valid(&from, copy) && valid(&to, copy);
    sim_unlock();
    return both ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void sim_copy_run(const CUDA_MEMCPY3D *copy) {
    if (!sim_config()->kernels || !copy->WidthInBytes || !copy->Height || !copy->Depth) return;
    struct side from = source(copy), to = destination(copy);
    resolve(&from, copy->WidthInBytes);
    resolve(&to, copy->WidthInBytes);
    for (size_t z = 0; z < copy->Depth; z++)
        for (size_t y = 0; y < copy->Height; y++)
            memmove(to.start + z * to.slice + y * to.row, from.start + z * from.slice + y * from.row,
                    copy->WidthInBytes);
}

static void fill_row(char *row, const struct sim_fill *fill) {
    switch (fill->element_bytes) {
    case 1:
        memset(row, (int)fill->value, fill->width);
        break;
    case 2:
        for (size_t i = 0; i < fill->width; i++) ((uint16_t *)row)[i] = (uint16_t)fill->value;
        break;
    default:
        for (size_t i = 0; i < fill->width; i++) ((uint32_t *)row)[i] = fill->value;
    }
}

void sim_fill_run(const struct sim_fill *fill) {
    if (!sim_config()->kernels) return;
    for (size_t y = 0; y < fill->height; y++) fill_row((char *)fill->start + y * fill->pitch, fill);
}
