/*
 * Sizes of array formats, see effects/elements.h. The table is cuda.h's CUarray_format of CUDA 13; an older header
 * lacks the newer names, so they stand here as the numbers that the interface fixed.
 */
#include "preload/effects/elements.h"

#include <stdbool.h>

// Bits of one element of a format that fixes its channels itself; 0 for the plain ones, whose channels are counted.
static unsigned fixed_bits(unsigned format) {
    switch (format) {
    case 0x91: // BC1: 8 bytes a block of 4 × 4
    case 0x92:
    case 0x97: // BC4
    case 0x98:
        return 4;
    case 0xb0: // NV12: full luma, quarter chroma in pairs
        return 12;
    case 0xa2: // NV16
    case 0xa5: // YUY2
        return 16;
    case 0x9f: // P010
    case 0xa1: // P016
    case 0xb2: // Y444, three planes
    case 0xb4: // YUV444, two planes
        return 24;
    case 0x50: // 10 + 10 + 10 + 2
    case 0xa3: // P210
    case 0xa4: // P216
    case 0xa6: // Y210
    case 0xa7: // Y216
    case 0xa8: // AYUV
    case 0xa9: // Y410
        return 32;
    case 0xb3: // Y444 of 10 bits, three planes
    case 0xb5: // YUV444 of 16 bits, two planes
        return 48;
    case 0xb1: // Y416
        return 64;
    default:
        break;
    }
    if (format >= 0x93 && format <= 0x9e) return 8; // BC2, BC3, BC5 … BC7: 16 bytes a block
    if (format >= 0xc0 && format <= 0xcb) {         // UNORM and SNORM, 8 and 16 bits, 1, 2 and 4 channels
        unsigned index = (format - 0xc0) % 6;
        return (index < 3 ? 8u : 16u) << index % 3;
    }
    return 0;
}

static unsigned channel_bits(unsigned format) {
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 8;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 16;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 32;
    default:
        return 0;
    }
}

static uint64_t at_least_one(uint64_t extent) {
    return extent ? extent : 1;
}

uint64_t mt_elements_bytes(const struct mt_elements *elements, unsigned levels) {
    unsigned bits = fixed_bits(elements->format);
    bool blocks = elements->format >= 0x91 && elements->format <= 0x9e;
    bool layered = elements->flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    uint64_t width = at_least_one(elements->width), height = at_least_one(elements->height),
             depth = at_least_one(elements->depth), bytes = 0;
    if (!elements->width) return 0;
    if (!bits) bits = channel_bits(elements->format) * elements->channels;
    for (unsigned level = 0;; level++) {
        uint64_t columns = blocks ? (width + 3) / 4 * 4 : width, rows = blocks ? (height + 3) / 4 * 4 : height;
        bytes += (columns * rows * bits + 7) / 8 * depth;
        if (level + 1 >= levels || (width == 1 && height == 1 && (layered || depth == 1))) return bytes;
        width = at_least_one(width / 2);
        height = at_least_one(height / 2);
        if (!layered) depth = at_least_one(depth / 2);
    }
}
