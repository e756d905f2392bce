/*
 * Finds the dlsym behind our own without calling dlsym: through dlvsym, which needs the version that each port and age
 * of glibc gave it. Runs as early as the first dlsym of any constructor, so it depends on nothing of ours.
 */
#include "preload/real_dlsym.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

_Atomic(mt_dlsym_fn *) mt_dlsym_next __attribute__((visibility("hidden")));

mt_dlsym_fn *mt_next_dlsym(void) {
    // x86-64's first, aarch64's first, and both since libdl became part of libc.
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    mt_dlsym_fn *found = atomic_load_explicit(&mt_dlsym_next, memory_order_acquire);
    for (size_t i = 0; !found && i < sizeof versions / sizeof versions[0]; i++) {
        found = (mt_dlsym_fn *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        // That steps over an interposer whose dlsym has no version. The one found answers without.
        mt_dlsym_fn *nearer = found ? (mt_dlsym_fn *)found(RTLD_NEXT, "dlsym") : NULL;
        if (nearer) found = nearer;
    }
    atomic_store_explicit(&mt_dlsym_next, found, memory_order_release);
    return found;
}

void *mt_real_dlsym(void *handle, const char *name) {
    mt_dlsym_fn *next = mt_next_dlsym();
    return next ? next(handle, name) : NULL;
}
