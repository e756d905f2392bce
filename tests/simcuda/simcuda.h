// The simulated CUDA device, as its user sets it: everything is an environment variable, read once.
//
// A folder with the simulated libcuda.so.1, libcudart.so.13 and libcupti.so.13 on LD_LIBRARY_PATH is the device. What
// it does follows what was measured on a real one; README.md says where it is simpler. Sizes take a suffix KiB, MiB,
// GiB, TiB.
//
//   SIMCUDA_MEMORY=16GiB        memory of each device
//   SIMCUDA_DEVICES=1           number of devices, up to 16; CUDA_VISIBLE_DEVICES picks among them, by ordinal or UUID
//   SIMCUDA_KERNELS=off         launches, copies and fills do nothing, so device memory is never touched
//   SIMCUDA_DRIVER_VERSION=N    what cuDriverGetVersion says (13000)
//   SIMCUDA_CUPTI=missing       libcupti answers UNKNOWN, as without a driver
//                 too-new       …NOT_INITIALIZED, as when it is newer than the driver
//                 busy          …MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, as under another profiler
//                 fatal         it finalizes itself, as after an error, when an activity kind is switched on
//   SIMCUDA_FAIL=NAME:N:RESULT  the N-th call (from 1; 0: every call) of driver entry point NAME fails with RESULT
//                               and does nothing; several are separated by commas
//   SIMCUDA_HIDDEN_MODULE=0     device memory a module takes at the first launch of one of its kernels
//   SIMCUDA_SHARED=FILE         the devices' memory is shared with all processes that name the same file
#ifndef SIMCUDA_H
#define SIMCUDA_H

enum {
    SIMCUDA_MAX_DEVICES = 16,
    SIMCUDA_MAX_FAULTS = 16,
    SIMCUDA_MAX_USERS = 16, // processes that share the devices
};

#endif
