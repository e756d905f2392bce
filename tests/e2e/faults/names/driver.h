/*
 * The driver's functions that the programs of this folder call. They don't include cuda.h, since they have functions or
 * variables of their own under its names. WORK's cu* may be either.
 */
#ifndef TESTS_E2E_FAULTS_NAMES_DRIVER_H
#define TESTS_E2E_FAULTS_NAMES_DRIVER_H

#include <stddef.h>
#include <stdio.h>

typedef int init_fn(unsigned flags);
typedef int device_get_fn(int *device, int ordinal);
typedef int retain_fn(void **context, int device);
typedef int set_current_fn(void *context);
typedef int alloc_fn(unsigned long long *address, size_t bytes);
typedef int free_fn(unsigned long long address);
typedef int get_proc_address_fn(const char *name, void **function, int version, unsigned long long flags, void *status);

// Two allocations, one of them freed. Prints and evaluates to the sum of the results.
#define WORK()                                                                                                         \
    ({                                                                                                                 \
        int device;                                                                                                    \
        void *context;                                                                                                 \
        unsigned long long one, other;                                                                                 \
        int failed = cuInit(0) + cuDeviceGet(&device, 0) + cuDevicePrimaryCtxRetain(&context, device);                 \
        failed += cuCtxSetCurrent(context) + cuMemAlloc_v2(&one, 1000000) + cuMemAlloc_v2(&other, 2000000);            \
        failed += cuMemFree_v2(one);                                                                                   \
        printf("result %d\n", failed);                                                                                 \
        failed;                                                                                                        \
    })

#endif
