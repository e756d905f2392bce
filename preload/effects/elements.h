/*
 * How many bytes an array's elements take, by format and extent alone. Knows no driver: a pure function.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_ELEMENTS_H
#define MEMTRACE_PRELOAD_EFFECTS_ELEMENTS_H

#include <cuda.h>
#include <stdint.h>

struct mt_elements {
    CUarray_format format;
    unsigned channels;
    uint64_t width, height,
        depth;      // elements; height and depth may be 0, which counts as 1. Depth is layers when layered
    unsigned flags; // CUDA_ARRAY3D_…
};

// Of `levels` mipmap levels, each half the extent of the one before; layers and cube faces keep their number. As the
// driver does, it takes one level at least, and none after that of a single element.
uint64_t mt_elements_bytes(const struct mt_elements *elements, unsigned levels);

#endif
