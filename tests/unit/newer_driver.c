/*
 * Makes the simulated driver one of a later CUDA version, for test_hooks.c: its cuGetProcAddress_v2 knows a form of
 * cuMemAlloc, since 13.1, that has one parameter more.
 */
#include <cuda.h>
#include <string.h>

typedef CUresult lookup_fn(const char *name, void **function, int version, cuuint64_t flags,
                           CUdriverProcAddressQueryResult *status);
typedef CUresult old_lookup_fn(const char *name, void **function, int version, cuuint64_t flags);

// cuda.h makes macros of the driver's names.
lookup_fn newer_lookup __asm__("cuGetProcAddress_v2");
old_lookup_fn old_lookup __asm__("cuGetProcAddress");

static CUresult newer_alloc(CUdeviceptr *address, CUdevice device, size_t bytes) {
    *address = (CUdeviceptr)device + bytes;
    return CUDA_SUCCESS;
}

CUresult newer_lookup(const char *name, void **function, int version, cuuint64_t flags,
                      CUdriverProcAddressQueryResult *status) {
    (void)status;
    if (strcmp(name, "cuMemAlloc") == 0 && version >= 13010) {
        *function = (void *)newer_alloc;
        return CUDA_SUCCESS;
    }
    return old_lookup(name, function, version >= 13010 ? 13000 : version, flags);
}
