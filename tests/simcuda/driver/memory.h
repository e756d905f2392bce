// What is known about an address, whatever kind of memory it is.
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/space.h"

// Marks a piece just taken as an allocation.
void sim_range_describe(struct sim_range *range, enum sim_use use, uint64_t requested, int device,
                        struct sim_context *context);
// Lets the kernel have back what a large block's contents occupied.
void sim_range_forget_contents(const struct sim_range *range);
// The allocation that holds the address, or NULL. Needs the lock.
struct sim_range *sim_memory_find(uint64_t address);
// The allocation that starts there and is of that use, or NULL. Needs the lock.
struct sim_range *sim_memory_at(uint64_t start, enum sim_use use);

// Pinned memory that holds the address: allocated, or registered. NULL if neither. Needs the lock.
struct sim_range *sim_host_find(uint64_t address);
struct sim_range *sim_managed_find(uint64_t address);
CUresult sim_managed_take(struct sim_context *context, uint64_t bytes, struct sim_range **result);
void sim_managed_give(struct sim_range *range);
// Frees the pinned and managed memory of a context.
void sim_host_end(struct sim_context *context);
void sim_managed_end(const struct sim_context *context);

#endif
