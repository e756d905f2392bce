// One thing a stream does: a launch, a copy, a fill, a host function. Streams run it at once; a capturing stream and a
// graph's node keep a copy to run later.
#ifndef SIM_WORK_H
#define SIM_WORK_H

#include "tests/simcuda/driver/driver.h"

struct sim_kernel;
struct sim_graph;

enum sim_work_type {
    SIM_WORK_EMPTY,
    SIM_WORK_KERNEL,
    SIM_WORK_COPY,
    SIM_WORK_FILL,
    SIM_WORK_HOST,
    SIM_WORK_RECORD, // an event
    SIM_WORK_WAIT,   // for an event
    SIM_WORK_ALLOCATE,
    SIM_WORK_FREE,
    SIM_WORK_CHILD, // a graph
};

struct sim_launch {
    struct sim_kernel *kernel;
    struct sim_context *context;
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void **params; // [the kernel's parameters]; the caller's, or a copy of the work's own
    void **extra;
};

struct sim_fill {
    CUdeviceptr start;
    size_t pitch;
    unsigned value;
    unsigned element_bytes; // 1, 2 or 4
    size_t width, height;   // in elements
};

struct sim_work {
    enum sim_work_type type;
    union {
        struct sim_launch launch;
        CUDA_MEMCPY3D copy;
        struct sim_fill fill;
        struct {
            CUhostFn function;
            void *data;
        } host;
        CUevent event;
        struct {
            CUdeviceptr address;
            uint64_t bytes;
            CUdevice device;
            CUmemAllocationHandleType handle_type;
        } memory;
        struct sim_graph *child;
    };
};

// Runs the work now, or hands it to the capture that the stream is in. Not with the lock.
CUresult sim_submit(CUstream stream, const struct sim_work *work);
// Runs it. Not with the lock.
CUresult sim_work_run(const struct sim_work *work);
// A copy that doesn't depend on the caller's memory: launch parameters are copied. 0 or -ENOMEM.
int sim_work_copy(struct sim_work *copy, const struct sim_work *work);
void sim_work_clear(struct sim_work *work);

// copy.c: checks a copy's pointers and arrays, and does it.
CUresult sim_copy_check(const CUDA_MEMCPY3D *copy);
void sim_copy_run(const CUDA_MEMCPY3D *copy);
void sim_fill_run(const struct sim_fill *fill);
// launch.c
CUresult sim_launch_run(const struct sim_launch *launch);

#endif
