// The file SIMCUDA_SHARED, in which processes that share the simulated devices keep what each uses of them; mapped by
// the driver (driver/shared.c) and read by the stand-in for NVML (tests/fakes/nvml.c). A process that has ended counts
// no more.
#ifndef SIMCUDA_SHARED_H
#define SIMCUDA_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "tests/simcuda/simcuda.h"

struct simcuda_shared {
    struct simcuda_user {
        _Atomic(int) pid;                             // 0: nobody yet
        _Atomic(uint64_t) bytes[SIMCUDA_MAX_DEVICES]; // by the device's index in the machine
    } users[SIMCUDA_MAX_USERS];
};

#endif
