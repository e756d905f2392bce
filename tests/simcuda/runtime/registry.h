// The program's device code and host symbols, as nvcc's start-up code registered them.
#ifndef SIM_RUNTIME_REGISTRY_H
#define SIM_RUNTIME_REGISTRY_H

#include "tests/simcuda/runtime/runtime.h"

struct rt_binary {
    void *image;
    CUlibrary library; // NULL: not used yet
};

struct rt_symbol {
    struct rt_symbol *next;
    const void *host; // address of the stub function, or of the variable
    const char *name; // in the device code
    struct rt_binary *binary;
    bool variable, managed;
    CUkernel kernel; // NULL: not used yet
};

#endif
