// Device memory at linear addresses: whole granules of the device for large blocks, and small blocks that share one.
// Arrays and modules' variables lie there too. Needs the device lock.
#ifndef SIM_LINEAR_H
#define SIM_LINEAR_H

#include "tests/simcuda/driver/device.h"

// Takes bytes of device memory for the context. CUDA_ERROR_OUT_OF_MEMORY when there is none.
CUresult sim_linear_take(struct sim_context *context, uint64_t bytes, enum sim_use use, struct sim_range **result);
void sim_linear_give(struct sim_range *range);
// The block that holds the address, or NULL.
struct sim_range *sim_linear_find(struct sim_device *device, uint64_t address);
// Frees all that belongs to the context.
void sim_linear_end(struct sim_context *context);

#endif
