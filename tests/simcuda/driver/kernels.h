// The CPU implementations of kernels, from the library of kernel_table.h.
#ifndef SIM_KERNELS_H
#define SIM_KERNELS_H

#include <stddef.h>

typedef void sim_kernel_run(void **params, const unsigned grid[3], const unsigned block[3], size_t shared_bytes);

// Opens the library, once. Not with the lock: the loader has its own.
void sim_kernels_open(void);
// The function for a kernel's name, or NULL if there is none.
sim_kernel_run *sim_kernel_function(const char *name);

#endif
