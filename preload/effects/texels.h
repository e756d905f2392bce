/*
 * How many bytes an array's texels take, by format and extent alone. Knows no driver: a pure function.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_TEXELS_H
#define MEMTRACE_PRELOAD_EFFECTS_TEXELS_H

#include <cuda.h>
#include <stdint.h>

struct mt_texels {
    CUarray_format format;
    unsigned channels;
    uint64_t width, height, depth; // texels; height and depth may be 0, which counts as 1. Depth is layers when layered
    unsigned flags;                // CUDA_ARRAY3D_…
};

// Of `levels` mipmap levels, each half the extent of the one before; layers and cube faces keep their number. As the
// driver does, it takes one level at least, and none after that of a single texel.
uint64_t mt_texels_bytes(const struct mt_texels *texels, unsigned levels);

#endif
