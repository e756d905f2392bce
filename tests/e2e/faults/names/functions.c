/*
 * An executable that exports functions with the driver's names, which find the driver at their first call, as
 * TensorFlow's stub of libcuda and Implib.so's trampolines do.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/e2e/faults/names/driver.h"

static void *find(const char *name) {
    static void *library;
    if (!library) library = dlopen("libcuda.so.1", RTLD_LAZY);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) abort();
    return found;
}

#define TRAMPOLINE(name, type, parameters, arguments)                                                                  \
    int name parameters;                                                                                               \
    int name parameters {                                                                                              \
        static type *found;                                                                                            \
        if (!found) found = (type *)find(#name);                                                                       \
        return found arguments;                                                                                        \
    }

TRAMPOLINE(cuInit, init_fn, (unsigned flags), (flags))
TRAMPOLINE(cuDeviceGet, device_get_fn, (int *device, int ordinal), (device, ordinal))
TRAMPOLINE(cuDevicePrimaryCtxRetain, retain_fn, (void **context, int device), (context, device))
TRAMPOLINE(cuCtxSetCurrent, set_current_fn, (void *context), (context))
TRAMPOLINE(cuMemAlloc_v2, alloc_fn, (unsigned long long *address, size_t bytes), (address, bytes))
TRAMPOLINE(cuMemFree_v2, free_fn, (unsigned long long address), (address))
TRAMPOLINE(cuGetProcAddress_v2, get_proc_address_fn,
           (const char *name, void **function, int version, unsigned long long flags, void *status),
           (name, function, version, flags, status))

int main(void) {
    int result = WORK();
    void *found = NULL;
    unsigned long long address;
    if (cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, NULL) != 0) return 1;
    return result + ((alloc_fn *)found)(&address, 3000000);
}
