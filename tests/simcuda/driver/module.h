// Code: libraries (and modules, which are libraries bound to a context), their kernels and variables, and what of them
// is loaded on which context. CUkernel and CUfunction are one object here.
#ifndef SIM_MODULE_H
#define SIM_MODULE_H

#include "tests/simcuda/driver/cubin.h"
#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/handles.h"

struct sim_library;
struct sim_range;

struct sim_kernel {
    struct sim_object object;
    struct sim_library *library;
    struct sim_kernel *next; // of the library
    char *name;
    struct sim_cubin_kernel info; // zero but for the name where the image doesn't tell
    bool known;                   // the image tells
    void (*run)(void **params, const unsigned grid[3], const unsigned block[3], size_t shared_bytes);
    int max_dynamic_shared;
    // The launch state of CUDA 1: cuFuncSetBlockShape, cuParamSet…
    unsigned block[3], shared_bytes, param_bytes;
    char param_buffer[1024];
};

// A library on a context: its variables, and the memory its code takes.
struct sim_loaded {
    struct sim_loaded *next;
    struct sim_context *context;
    uint64_t code_bytes;
    struct sim_range *variables[]; // [cubin.variable_count]
};

struct sim_library {
    struct sim_object object; // its context is a module's
    struct sim_cubin cubin;
    bool readable; // the cubin could be read: names it lacks don't exist
    void *file;    // the image, if it was read from a file
    struct sim_kernel *kernels;
    struct sim_loaded *loaded;
};

// All need the lock.
struct sim_library *sim_library_of(const void *handle);
struct sim_kernel *sim_kernel_of(const void *handle);
CUresult sim_library_open(const void *image, struct sim_context *context, struct sim_library **result);
void sim_library_close(struct sim_library *library);
CUresult sim_library_kernel(struct sim_library *library, const char *name, struct sim_kernel **result);
// Brings the library onto the context. `launch`: for one of its kernels, which is when its code takes memory.
CUresult sim_library_load(struct sim_library *library, struct sim_context *context, bool launch,
                          struct sim_loaded **result);
void sim_modules_end(struct sim_context *context);

// The kernel's name in the parameters of a launch entry point, or NULL. Takes the lock.
const char *sim_launch_symbol(uint32_t callback_id, const void *params);
const char *sim_kernel_name(const void *kernel);

#endif
