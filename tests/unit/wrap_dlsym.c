/*
 * Another interposer, preloaded beside libmemtrace.so by test_hooks.c: it wraps dlsym as such tools do, and puts itself
 * in front of cuMemAlloc_v2, whichever way the program finds that. It counts the calls it sees.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

typedef void *dlsym_fn(void *handle, const char *name);
typedef CUresult alloc_fn(CUdeviceptr *address, size_t bytes);

extern int wrap_dlsym_calls;
int wrap_dlsym_calls;

static alloc_fn *real_alloc;

CUresult wrapped_alloc(CUdeviceptr *address, size_t bytes);

CUresult wrapped_alloc(CUdeviceptr *address, size_t bytes) {
    wrap_dlsym_calls++;
    return real_alloc(address, bytes);
}

void *dlsym(void *handle, const char *name) {
    static dlsym_fn *real;
    if (!real) real = (dlsym_fn *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!real) real = (dlsym_fn *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    void *found = real(handle, name);
    if (found && strcmp(name, "cuMemAlloc_v2") == 0 && handle != RTLD_NEXT) {
        real_alloc = (alloc_fn *)found;
        return (void *)wrapped_alloc;
    }
    return found;
}
