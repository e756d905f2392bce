/*
 * See torch/symbols.h.
 */
#include "preload/torch/symbols.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>

#include "preload/elf_object.h"
#include "preload/loading.h"
#include "preload/real_dlsym.h"

struct search {
    const char *symbol;
    char path[PATH_MAX];
};

// The executable (it has no name here) comes before us in the search order: where it has torch in it, nothing passes
// through us.
static int find_library(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    struct search *search = user;
    struct mt_elf_object object;
    if (!info->dlpi_name || !*info->dlpi_name || !mt_elf_read(info, &object)) return 0;
    if (!mt_elf_find(&object, search->symbol) || mt_elf_find(&object, MT_LOADING_MARK)) return 0;
    snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
    return 1;
}

void *mt_torch_symbol(const char *symbol) {
    struct search search = {.symbol = symbol};
    if (!dl_iterate_phdr(find_library, &search)) return NULL;
    // It may still be on its way in, and fail: this waits for that. The handle is given back, since whoever calls the
    // function keeps the library loaded.
    void *library = dlopen(search.path, RTLD_NOLOAD | RTLD_LAZY);
    void *found = library ? mt_real_dlsym(library, symbol) : NULL;
    if (library) dlclose(library);
    dlerror();
    return found;
}
