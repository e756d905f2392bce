// The one interface between the three simulated libraries: libcuda exports simcuda_bridge(); libcupti sets through it
// who is called back for what, libcudart reports its own calls through it. Everything in it is thread-safe.
#ifndef SIMCUDA_BRIDGE_H
#define SIMCUDA_BRIDGE_H

#include <cuda.h>
#include <cupti_callbacks.h>
#include <stdbool.h>
#include <stdint.h>

// One API call in progress, on its caller's stack.
struct simcuda_call {
    CUpti_CallbackDomain domain;
    uint32_t callback_id;
    const char *name;
    const void *params;
    const char *symbol;     // the kernel's name, for launches
    const void *subscriber; // who was told of the start, and so is told of the end
    uint64_t correlation_data;
    uint32_t correlation_id;
    uint32_t outer_correlation_id; // of the call that this one is made by, or 0
};

struct simcuda_bridge {
    // For libcupti. One subscriber at a time: subscribe returns NULL when there is one.
    const void *(*subscribe)(CUpti_CallbackFunc callback, void *userdata);
    bool (*unsubscribe)(const void *subscriber);
    void (*finalize)(void);
    void (*fail)(CUptiResult result, const char *message); // a fatal error of CUPTI's own: tells of it, and finalizes
    bool (*is_subscriber)(const void *subscriber);
    void (*enable)(CUpti_CallbackDomain domain, uint32_t callback_id, bool on);
    bool (*is_enabled)(CUpti_CallbackDomain domain, uint32_t callback_id);
    bool (*context_uid)(CUcontext context, uint32_t *uid); // false: no such context
    bool (*context_device)(CUcontext context, uint32_t *device);
    bool (*stream_id)(CUcontext context, CUstream stream, bool per_thread, uint32_t *id);
    // For libcudart. The caller has set domain, callback_id, name, params and symbol; result points at a cudaError_t.
    void (*enter)(struct simcuda_call *call);
    void (*leave)(struct simcuda_call *call, void *result);
    const char *(*kernel_name)(const void *kernel); // of a CUkernel or CUfunction
};

__attribute__((visibility("default"))) const struct simcuda_bridge *simcuda_bridge(void);

#endif
