// CUDA arrays and mipmapped arrays: device memory with a format and up to three dimensions. Laid out plainly, row by
// row.
#ifndef SIM_ARRAY_H
#define SIM_ARRAY_H

#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/handles.h"
#include "tests/simcuda/driver/space.h"

enum { SIM_MAX_LEVELS = 20 };

struct sim_array {
    struct sim_object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    uint64_t start;          // device address
    struct sim_range *range; // NULL: a mipmap's level, or mapped
    uint64_t bytes;
};

struct sim_mipmap {
    struct sim_object object;
    struct sim_range *range; // its memory, or where imported memory is mapped
    unsigned level_count;
    struct sim_array *levels[SIM_MAX_LEVELS];
};

// Bytes of one element, 0 for a format that isn't known.
unsigned sim_array_element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
struct sim_array *sim_array_of(CUarray handle); // needs the lock
// Bytes of all its levels, 0 if they can't be counted.
uint64_t sim_mipmap_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels);
// A mipmapped array over memory at `start`; the caller sets its range. Needs the lock.
CUresult sim_mipmap_new(struct sim_mipmap **result, struct sim_context *context,
                        const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels, uint64_t start);
void sim_arrays_end(struct sim_context *context);

#endif
