// The settings of simcuda.h, parsed.
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include "tests/simcuda/simcuda.h"
#include <stdbool.h>
#include <stdint.h>

struct sim_config {
    uint64_t memory_bytes; // of each device
    uint64_t hidden_module_bytes;
    int driver_version;
    bool kernels;                     // false: nothing touches device memory
    int visible[SIMCUDA_MAX_DEVICES]; // visible ordinal -> the device it really is
    int visible_count;
};

// The UUID of a device of the machine.
void sim_uuid(int index, char uuid[16]);

// The settings, read at the first call. Thread-safe.
const struct sim_config *sim_config(void);

#endif
