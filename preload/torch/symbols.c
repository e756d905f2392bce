/*
 * See torch/symbols.h.
 */
#include "preload/torch/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/real_dlsym.h"

// What a loaded library says the symbol is. The handle is given back: whoever called the function keeps it loaded.
static void *symbol_in(const char *library, const char *symbol) {
    void *handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (!handle) return NULL;
    void *found = mt_real_dlsym(handle, symbol);
    dlclose(handle);
    return found;
}

static bool is_ours(const void *address) {
    Dl_info there, here;
    return dladdr(address, &there) && dladdr((const void *)symbol_in, &here) && there.dli_fbase == here.dli_fbase;
}

// A repackaged torch may have given its libraries other names.
static void *symbol_in_any(const char *symbol) {
    struct link_map *map = NULL;
    void *program = dlopen(NULL, RTLD_LAZY);
    if (!program || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0) return NULL;
    for (; map; map = map->l_next) {
        if (!map->l_name || !*map->l_name) continue;
        void *found = symbol_in(map->l_name, symbol);
        if (found && !is_ours(found)) return found;
    }
    return NULL;
}

void *mt_torch_symbol(_Atomic(void *) *cache, const char *soname, const char *symbol) {
    void *found = atomic_load_explicit(cache, memory_order_acquire);
    if (found) return found;
    found = symbol_in(soname, symbol);
    if (!found) found = symbol_in_any(symbol);
    atomic_store_explicit(cache, found, memory_order_release);
    return found;
}
