/*
 * The way in: a process that preloads this library tells the CUDA driver and the NVTX loader to call it back, by
 * setting their injection variables to this very file, and does nothing else. Every shell and git under LD_PRELOAD runs
 * this, so it reads two paths and sets two variables; children inherit them. And the way out, which must be the last
 * thing that happens in the process, since static destructors still free device memory.
 */
#include "preload/constructor.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/lifetime.h"
#include "preload/nvtx/feed.h"

// Written by the constructor, constant afterwards.
static char library_path[PATH_MAX];
static char load_directory[PATH_MAX] = ".";
static const char *foreign_cuda, *foreign_nvtx;

const char *mt_library_path(void) {
    return library_path;
}

const char *mt_load_directory(void) {
    return load_directory;
}

const char *mt_foreign_cuda_injection(void) {
    return foreign_cuda;
}

const char *mt_foreign_nvtx_injection(void) {
    return foreign_nvtx;
}

// Of exit's two last calls into this library, the second ends the session. Preloaded, that is leave_at_exit: it was
// registered before the loader's own exit handler, so it runs after every library's destructors. Loaded by the driver
// in cuInit, it is leave_at_fini: leave_at_exit was registered late and runs early, before older static destructors.
static void leave(void) {
    static atomic_int calls;
    if (atomic_fetch_add(&calls, 1) == 1) mt_session_end("exit");
}

static void leave_at_exit(void *unused) {
    (void)unused;
    leave();
}

__attribute__((destructor)) static void leave_at_fini(void) {
    leave();
}

int __cxa_atexit(void (*function)(void *), void *argument, void *dso_handle); // of the C++ ABI, in the C library

// Sets `variable` to our path unless somebody else's is there, of which a copy is returned.
static char *inject(const char *variable) {
    const char *set = getenv(variable);
    if (!set || !*set) {
        setenv(variable, library_path, 1);
        return NULL;
    }
    return strcmp(set, library_path) == 0 ? NULL : strdup(set);
}

__attribute__((constructor)) static void load(void) {
    Dl_info info;
    // No DSO handle: the handler belongs to the process, so that __cxa_finalize of this library leaves it alone.
    __cxa_atexit(leave_at_exit, NULL, NULL);
    if (!getcwd(load_directory, sizeof load_directory)) strcpy(load_directory, ".");
    // The loader knows the path as it was given, possibly relative to a folder that the program is about to leave.
    if (!dladdr(library_path, &info) || !realpath(info.dli_fname, library_path)) {
        library_path[0] = 0;
        return;
    }
    foreign_cuda = inject("CUDA_INJECTION64_PATH");
    foreign_nvtx = inject("NVTX_INJECTION64_PATH");
    if (foreign_nvtx) mt_nvtx_chain(foreign_nvtx, library_path);
}
