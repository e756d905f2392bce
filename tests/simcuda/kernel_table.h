// How the simulated device finds a kernel: libsimcuda-kernels.so, beside the simulated libcuda, exports a table of CPU
// functions by kernel name. A launch of a name that isn't there does nothing.
#ifndef SIMCUDA_KERNEL_TABLE_H
#define SIMCUDA_KERNEL_TABLE_H

#include <stddef.h>

struct simcuda_kernel {
    const char *name; // as in the module: plain for extern "C" kernels
    // params[i] points at the i-th argument; device pointers among them can be dereferenced. Runs the whole grid.
    void (*run)(void **params, const unsigned grid[3], const unsigned block[3], size_t shared_bytes);
};

// Ends with a row whose name is NULL.
extern const struct simcuda_kernel simcuda_kernels[];

#endif
