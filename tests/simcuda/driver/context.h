// Contexts, and which is current to a thread.
#ifndef SIM_CONTEXT_H
#define SIM_CONTEXT_H

#include "tests/simcuda/driver/driver.h"
#include <stdatomic.h>

// Device memory of a context as measured: a primary one's, and one of cuCtxCreate.
#define SIM_PRIMARY_CONTEXT_BYTES (UINT64_C(5388125) * 1048576 / 10000)
#define SIM_CONTEXT_BYTES         (UINT64_C(5355625) * 1048576 / 10000)

struct sim_device;

struct sim_context {
    struct sim_device *device;
    atomic_bool alive;
    bool primary;
    unsigned retained; // of a primary context
    unsigned attached; // of the others: cuCtxAttach
    unsigned flags;
    bool old_api; // 3010, of the first form of cuCtxCreate: calls of API 3020 are refused in it
    uint32_t uid;
    uint64_t id;
    uint64_t bytes;       // device memory of the context itself, all that it grew by included
    uint64_t local_bytes; // local memory a thread that is provided for
    bool has_streams;     // the memory of the first stream is there
    uint32_t peers;       // bit per device whose memory it may reach
    size_t limits[CU_LIMIT_MAX];
    CUfunc_cache cache_config;
    void *green; // the CUgreenCtx it was made from
};

// The context on top of the thread's stack, alive or not, or NULL.
struct sim_context *sim_context_current(void);
// Success if the thread has a usable context, and what a call without one returns otherwise.
CUresult sim_context_check_current(void);
// The context behind a handle; NULL if it isn't one, or is destroyed. Needs the lock.
struct sim_context *sim_context_of(CUcontext handle);
// Grows or shrinks what the context itself takes. Needs the lock.
CUresult sim_context_grow(struct sim_context *context, uint64_t bytes);
// Makes room for that much local memory a thread, on all the device's threads; it is kept. Needs the lock.
CUresult sim_context_provide_local(struct sim_context *context, uint64_t bytes_a_thread);
// Starts a context on its device. Needs the lock.
CUresult sim_context_start(struct sim_context *context, struct sim_device *device, uint64_t bytes, unsigned flags);
// Ends it, with all that it owns. Needs the lock.
void sim_context_end(struct sim_context *context);
// For the tools' interface: any context ever made.
bool sim_context_identify(CUcontext handle, uint32_t *uid, uint32_t *device);

CUresult sim_context_new(CUcontext *result, unsigned flags, CUdevice ordinal, void *green);

#endif
