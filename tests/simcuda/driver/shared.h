// What other processes use of the devices (SIMCUDA_SHARED).
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#include <stdint.h>

// Bytes that other processes use of a device of the machine.
uint64_t sim_shared_others(int index);

// This process uses so many bytes of it now. With the device lock.
void sim_shared_set(int index, uint64_t bytes);

#endif
