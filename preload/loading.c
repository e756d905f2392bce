/*
 * Learning what loading.h tells. Every shell and git under LD_PRELOAD runs this, so it reads two paths and sets two
 * variables; children inherit them.
 */
#include "preload/loading.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/elf_object.h"
#include "preload/real_dlsym.h"

extern const char memtrace_library[] __attribute__((visibility("default")));
const char memtrace_library[] = MT_LOADING_MARK;

// Written once, constant afterwards.
static char library_path[PATH_MAX];
static char load_directory[PATH_MAX] = ".";
static const char *foreign_cuda, *foreign_nvtx;
static bool is_second;

bool mt_loading_is_second(void) {
    return is_second;
}

bool mt_loading_is_memtrace(const void *address) {
    return mt_elf_object_at_defines(address, MT_LOADING_MARK);
}

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

// Sets `variable` to our path unless somebody else's is there, of which a copy is returned.
static char *inject(const char *variable) {
    const char *set = getenv(variable);
    if (!set || !*set) {
        setenv(variable, library_path, 1);
        return NULL;
    }
    return strcmp(set, library_path) == 0 ? NULL : strdup(set);
}

void mt_loading_learn(void) {
    Dl_info info;
    const void *first = mt_first_symbol(MT_LOADING_MARK);
    is_second = first && first != memtrace_library;
    if (is_second) return;
    if (!getcwd(load_directory, sizeof load_directory)) strcpy(load_directory, ".");
    // The loader knows the path as it was given, possibly relative to a folder that the program is about to leave.
    if (!dladdr(library_path, &info) || !realpath(info.dli_fname, library_path)) return;
    foreign_cuda = inject("CUDA_INJECTION64_PATH");
    foreign_nvtx = inject("NVTX_INJECTION64_PATH");
}
