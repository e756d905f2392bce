/*
 * The variables of pointers.h, in a shared library.
 */
#include "tests/e2e/faults/names/pointers.h"

#include <dlfcn.h>

init_fn *cuInit;
device_get_fn *cuDeviceGet;
retain_fn *cuDevicePrimaryCtxRetain;
set_current_fn *cuCtxSetCurrent;
alloc_fn *cuMemAlloc_v2;
free_fn *cuMemFree_v2;

int pointers_fill(void) {
    if (cuInit) return 0; // filled before
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return 1;
    *(void **)&cuInit = dlsym(library, "cuInit");
    *(void **)&cuDeviceGet = dlsym(library, "cuDeviceGet");
    *(void **)&cuDevicePrimaryCtxRetain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)&cuCtxSetCurrent = dlsym(library, "cuCtxSetCurrent");
    *(void **)&cuMemAlloc_v2 = dlsym(library, "cuMemAlloc_v2");
    *(void **)&cuMemFree_v2 = dlsym(library, "cuMemFree_v2");
    return 0;
}

int pointers_work(void) {
    return WORK();
}
