/*
 * Global variables with the driver's names, filled at run time, as CUEW and cuda_drvapi_dynlink.c of the CUDA samples
 * have them.
 */
#ifndef TESTS_E2E_FAULTS_NAMES_POINTERS_H
#define TESTS_E2E_FAULTS_NAMES_POINTERS_H

#include "tests/e2e/faults/names/driver.h"

extern init_fn *cuInit;
extern device_get_fn *cuDeviceGet;
extern retain_fn *cuDevicePrimaryCtxRetain;
extern set_current_fn *cuCtxSetCurrent;
extern alloc_fn *cuMemAlloc_v2;
extern free_fn *cuMemFree_v2;

// Fills them once. 0, or 1 without a driver.
int pointers_fill(void);

// WORK() with them.
int pointers_work(void);

#endif
