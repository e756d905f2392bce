// Regions are mapped without reserving swap, readable and writable, when first used: terabytes of addresses cost
// nothing until they are touched. Where the wanted addresses aren't to be had (sanitizers, small address spaces) all
// regions move to a smaller place that the kernel chooses.
#include "tests/simcuda/driver/layout.h"
#include "tests/simcuda/driver/device.h"
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#define WANTED_BASE       UINT64_C(0x200000000000)
#define WANTED_STRIDE     (UINT64_C(1) << 40)
#define LARGEST_FALLBACK  (UINT64_C(1) << 35) // bytes of a region
#define SMALLEST_FALLBACK (UINT64_C(1) << 32)

static uint64_t base, stride;
static bool fallback;
static bool is_open[SIM_REGION_COUNT];

static void *map(uint64_t address, uint64_t bytes, int flags) {
    int mode = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags;
    return mmap((void *)address, bytes, PROT_READ | PROT_WRITE, mode, -1, 0);
}

static bool map_wanted(enum sim_region region) {
    uint64_t address = WANTED_BASE + (uint64_t)region * WANTED_STRIDE;
    void *at = map(address, WANTED_STRIDE, MAP_FIXED_NOREPLACE);
    if (at != MAP_FAILED && at != (void *)address) // a kernel that takes the address as a hint
        munmap(at, WANTED_STRIDE);
    return at == (void *)address;
}

// The first region decides where all lie.
static int choose(enum sim_region region) {
    if (map_wanted(region)) {
        base = WANTED_BASE;
        stride = WANTED_STRIDE;
        return 0;
    }
    for (uint64_t bytes = LARGEST_FALLBACK; bytes >= SMALLEST_FALLBACK; bytes /= 2) {
        void *at = map(0, bytes * SIM_REGION_COUNT, 0);
        if (at == MAP_FAILED) continue;
        base = sim_round_up((uint64_t)at, SIM_GRANULE);
        stride = bytes - SIM_GRANULE;
        fallback = true;
        return 0;
    }
    return -ENOMEM;
}

int sim_layout_open(enum sim_region region, struct sim_space *space) {
    if (!base) {
        if (choose(region)) return -ENOMEM;
    } else if (!fallback && !map_wanted(region)) {
        return -ENOMEM;
    }
    is_open[region] = true;
    return sim_space_add(space, base + (uint64_t)region * stride, stride);
}

int sim_layout_take(enum sim_region region, struct sim_space *space, uint64_t bytes, struct sim_range **result) {
    if (!space->root && sim_layout_open(region, space)) return -ENOMEM;
    if (bytes > stride) return -ENOMEM;
    uint64_t taken = sim_round_up(bytes, SIM_ALIGN);
    *result = sim_space_take(space, taken, taken < SIM_GRANULE ? SIM_ALIGN : SIM_GRANULE);
    return *result ? 0 : -ENOMEM;
}

uint64_t sim_layout_stride(void) {
    return stride;
}

int sim_layout_region(uint64_t address) {
    if (!base || address < base) return -1;
    uint64_t region = (address - base) / stride;
    return region < SIM_REGION_COUNT && is_open[region] ? (int)region : -1;
}
