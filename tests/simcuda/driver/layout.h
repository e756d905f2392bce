// Where simulated memory lies: regions of one stride each, from a fixed base, so that addresses are the same in each
// run. They are ordinary memory of the process, backed by the kernel when touched.
#ifndef SIM_LAYOUT_H
#define SIM_LAYOUT_H

#include "tests/simcuda/driver/space.h"

enum sim_region {
    SIM_REGION_HOST, // pinned host memory
    SIM_REGION_MANAGED,
    SIM_REGION_VIRTUAL, // four regions in a row: cuMemAddressReserve
    SIM_REGION_IMPORTED = SIM_REGION_VIRTUAL + 4,
    SIM_REGION_DEVICES, // then two a device: cuMemAlloc's, and pools'
    SIM_REGION_COUNT = SIM_REGION_DEVICES + 2 * 16,
};

// Maps a region, if it isn't yet, and adds it to the space as free. 0 or -ENOMEM.
int sim_layout_open(enum sim_region region, struct sim_space *space);
// Takes bytes from a region's space, opening it first if need be. 0 or -ENOMEM.
int sim_layout_take(enum sim_region region, struct sim_space *space, uint64_t bytes, struct sim_range **result);
// Bytes of a region; all are of one size. Valid once one is open.
uint64_t sim_layout_stride(void);
// The region of an address, or -1.
int sim_layout_region(uint64_t address);

#endif
