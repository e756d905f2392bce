/*
 * Another preloaded library that stands in front of cuMemAlloc, whichever way a program finds that, as those that limit
 * the memory of containers do: exported, by dlsym, and by cuGetProcAddress. It says at exit how many calls it saw.
 * BEHIND: it asks for the dlsym behind it, not for the C library's.
 */
#include <dlfcn.h>
#include <string.h>

#include "tests/e2e/faults/names/driver.h"

typedef void *dlsym_fn(void *handle, const char *name);
typedef int get_proc_address_v1_fn(const char *name, void **function, int version, unsigned long long flags);

int cuMemAlloc_v2(unsigned long long *address, size_t bytes);
int cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags);
int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, void *status);

static alloc_fn *real_alloc;
static long calls;

static void *find(void *handle, const char *name) {
    static dlsym_fn *real;
#ifdef BEHIND
    if (!real) real = (dlsym_fn *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
#else
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!real) real = (dlsym_fn *)dlvsym(libc, "dlsym", "GLIBC_2.2.5");
    // Before glibc 2.34 it is in a library of its own.
    if (!real) real = (dlsym_fn *)dlvsym(dlopen("libdl.so.2", RTLD_LAZY | RTLD_NOLOAD), "dlsym", "GLIBC_2.2.5");
#endif
    return real(handle, name);
}

static void *find_in_driver(const char *name) {
    return find(dlopen("libcuda.so.1", RTLD_NOW), name);
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (!real_alloc) real_alloc = (alloc_fn *)find_in_driver("cuMemAlloc_v2");
    return real_alloc(address, bytes);
}

// What was found for `name` becomes ours.
static void replace(const char *name, void **function) {
    if (strcmp(name, "cuMemAlloc") != 0) return;
    if (*function != (void *)cuMemAlloc_v2) real_alloc = (alloc_fn *)*function;
    *function = (void *)cuMemAlloc_v2;
}

int cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags) {
    static get_proc_address_v1_fn *real;
    if (!real) real = (get_proc_address_v1_fn *)find_in_driver("cuGetProcAddress");
    int result = real(name, function, version, flags);
    if (result == 0) replace(name, function);
    return result;
}

int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, void *status) {
    static get_proc_address_fn *real;
    if (!real) real = (get_proc_address_fn *)find_in_driver("cuGetProcAddress_v2");
    int result = real(name, function, version, flags, status);
    if (result == 0) replace(name, function);
    return result;
}

void *dlsym(void *handle, const char *name) {
    if (strcmp(name, "cuMemAlloc_v2") == 0) return (void *)cuMemAlloc_v2;
    if (strcmp(name, "cuGetProcAddress") == 0) return (void *)cuGetProcAddress;
    if (strcmp(name, "cuGetProcAddress_v2") == 0) return (void *)cuGetProcAddress_v2;
    return find(handle, name);
}

__attribute__((destructor)) static void say(void) {
    if (calls) fprintf(stderr, "limiter: %ld calls\n", calls);
}
