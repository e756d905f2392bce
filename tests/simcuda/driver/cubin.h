// What a module's image says about its kernels and variables: the parts of NVIDIA's ELF files that the simulated device
// needs. Images are taken on trust, as the real driver does.
#ifndef SIM_CUBIN_H
#define SIM_CUBIN_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_MAX_PARAMS = 64 };

struct sim_cubin_kernel {
    const char *name; // inside the image
    uint32_t registers;
    uint32_t local_bytes;  // stack a thread
    uint32_t shared_bytes; // static
    uint32_t param_count;
    struct {
        uint16_t offset, bytes;
    } params[SIM_MAX_PARAMS];
};

struct sim_cubin_variable {
    const char *name;
    uint64_t bytes;
    const void *initial; // NULL: zero
    bool managed;
};

struct sim_cubin {
    struct sim_cubin_kernel *kernels;
    struct sim_cubin_variable *variables;
    uint32_t kernel_count, variable_count;
};

// Reads a fat binary (or its wrapper) or a cubin. 0, -ENOMEM, or -ENOENT: no ELF in it, as in one that is only PTX.
int sim_cubin_read(const void *image, struct sim_cubin *cubin);
void sim_cubin_free(struct sim_cubin *cubin);

#endif
