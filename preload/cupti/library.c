/*
 * Looking for libcupti, in this order: one that the process has loaded; by soname, newest first, no newer than what the
 * driver can serve; beside the CUDA runtime of the process; in the toolkit's usual places. Called by the feed's start.
 */
#include "preload/cupti/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/driver.h"
#include "preload/loading.h"
#include "preload/real_dlsym.h"

// A CUPTI newer than the driver refuses to start, so a driver of CUDA 12 is not offered libcupti.so.13.
static const int major_versions[] = {13, 12, 11};
#define MAJOR_COUNT (sizeof major_versions / sizeof major_versions[0])

static int driver_major(void) {
    int version = 0;
    if (!mt_driver.driver_get_version || mt_driver.driver_get_version(&version) != CUDA_SUCCESS) return INT_MAX;
    return version ? version / 1000 : INT_MAX;
}

// CUDA 11 numbered the library by minor versions: 11.0 … 11.8.
static void *open_soname(const char *folder, int major, int flags) {
    char path[PATH_MAX];
    const char *slash = *folder ? "/" : "";
    snprintf(path, sizeof path, "%s%slibcupti.so.%d", folder, slash, major);
    void *library = dlopen(path, flags);
    for (int minor = 8; major == 11 && !library && minor >= 0; minor--) {
        snprintf(path, sizeof path, "%s%slibcupti.so.%d.%d", folder, slash, major, minor);
        library = dlopen(path, flags);
    }
    return library;
}

static void *open_in(const char *folder, int newest, int flags) {
    void *library = NULL;
    for (size_t i = 0; i < MAJOR_COUNT && !library; i++) {
        if (major_versions[i] <= newest) library = open_soname(folder, major_versions[i], flags);
    }
    return library;
}

// The folders of the CUDA runtimes that are loaded. Paths only: nothing may be dlopen'ed while the loader's list is
// locked.
struct runtimes {
    char paths[4][PATH_MAX];
    size_t count;
};

static int note_runtime(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    struct runtimes *runtimes = user;
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (!name || strncmp(name, "/libcudart", strlen("/libcudart")) != 0) return 0;
    size_t length = (size_t)(name - info->dlpi_name);
    if (runtimes->count == sizeof runtimes->paths / sizeof runtimes->paths[0] || length >= PATH_MAX) return 0;
    memcpy(runtimes->paths[runtimes->count], info->dlpi_name, length);
    runtimes->paths[runtimes->count++][length] = 0;
    return 0;
}

static void *open_beside_runtime(int newest) {
    static const char *const relative[] = {"", "/../extras/CUPTI/lib64", "/../../cuda_cupti/lib"};
    struct runtimes *runtimes = calloc(1, sizeof *runtimes);
    void *library = NULL;
    if (!runtimes) return NULL;
    dl_iterate_phdr(note_runtime, runtimes);
    for (size_t i = 0; i < runtimes->count && !library; i++) {
        for (size_t j = 0; j < sizeof relative / sizeof relative[0] && !library; j++) {
            char folder[PATH_MAX + 32];
            snprintf(folder, sizeof folder, "%s%s", runtimes->paths[i], relative[j]);
            library = open_in(folder, newest, RTLD_NOW | RTLD_LOCAL);
        }
    }
    free(runtimes);
    return library;
}

static void *open_anywhere(void) {
    static const char *const folders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64"};
    int newest = driver_major();
    void *library = open_in("", INT_MAX, RTLD_NOW | RTLD_NOLOAD);
    if (!library) library = open_in("", newest, RTLD_NOW | RTLD_LOCAL);
    if (!library) library = open_beside_runtime(newest);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !library; i++) {
        library = open_in(folders[i], newest, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

int mt_cupti_library_open(struct mt_cupti *cupti, char *path, size_t path_bytes) {
    void *library = open_anywhere();
    struct link_map *map;
    if (!library) return -1;
    *(void **)&cupti->subscribe = mt_real_dlsym(library, "cuptiSubscribe");
    *(void **)&cupti->unsubscribe = mt_real_dlsym(library, "cuptiUnsubscribe");
    *(void **)&cupti->enable_callback = mt_real_dlsym(library, "cuptiEnableCallback");
    *(void **)&cupti->get_callback_state = mt_real_dlsym(library, "cuptiGetCallbackState");
    *(void **)&cupti->get_version = mt_real_dlsym(library, "cuptiGetVersion");
    *(void **)&cupti->get_result_string = mt_real_dlsym(library, "cuptiGetResultString");
    if (!cupti->subscribe || !cupti->unsubscribe || !cupti->enable_callback) {
        dlclose(library);
        return -1;
    }
    bool known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name;
    snprintf(path, path_bytes, "%s", known ? map->l_name : "");
    return 0;
}

void *mt_cupti_library_find(const char *name, const void *caller) {
    Dl_info info;
    void *library;
    if (caller) {
        // A handle's scope is that library and what it needs, so the preloaded hook of the same name is not in it.
        library = dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    } else {
        library = open_in("", INT_MAX, RTLD_LAZY | RTLD_NOLOAD);
    }
    void *function = library ? mt_real_dlsym(library, name) : NULL;
    if (!function) dlerror();
    if (function && mt_loading_is_memtrace(function)) function = NULL;
    if (library) dlclose(library); // those who loaded it keep it, and may let it go
    return function;
}
