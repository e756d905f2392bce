/*
 * Preloaded behind libmemtrace.so: ends the process when libmemtrace.so enters the dynamic linker by one of its
 * functions while the program watches: while it makes calls that are recorded. The C library's functions are found
 * without its dlsym, which is watched, too.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/elf_object.h"
#include "tests/e2e/faults/loader/shim.h"

static atomic_bool watching;
static __thread bool between;          // others' dlopen and dlsym: there libmemtrace.so may look, too
static _Atomic(unsigned long) entered; // by libmemtrace.so, watched or not

static struct dl_phdr_info describe(const struct link_map *map) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)map->l_addr;
    return (struct dl_phdr_info){.dlpi_addr = map->l_addr,
                                 .dlpi_phdr = (const ElfW(Phdr) *)(map->l_addr + header->e_phoff),
                                 .dlpi_phnum = header->e_phnum};
}

// The C library's function; before glibc 2.34 it was in a library beside.
static void *real(const char *name) {
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        if (!strstr(map->l_name, "/libc.so.6") && !strstr(map->l_name, "/libdl.so.2")) continue;
        struct dl_phdr_info info = describe(map);
        struct mt_elf_object object;
        const ElfW(Sym) *symbol = mt_elf_read(&info, &object) ? mt_elf_find(&object, name) : NULL;
        if (symbol) return (void *)(object.base + symbol->st_value);
    }
    abort();
}

static bool is_memtrace(const void *caller) {
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        if (!strstr(map->l_name, "/libmemtrace.so")) continue;
        struct dl_phdr_info info = describe(map);
        for (int i = 0; i < info.dlpi_phnum; i++) {
            const ElfW(Phdr) *segment = &info.dlpi_phdr[i];
            bool inside = (uintptr_t)caller - map->l_addr - segment->p_vaddr < segment->p_memsz;
            if (segment->p_type == PT_LOAD && inside) return true;
        }
    }
    return false;
}

// False for other callers.
static bool check(const char *name, const void *caller) {
    if (!is_memtrace(caller)) return false;
    atomic_fetch_add(&entered, 1);
    if (!atomic_load(&watching) || between) return true;
    dprintf(STDERR_FILENO, "%s was entered within an event\n", name);
    abort();
}

void loader_shim_watch(bool on) {
    atomic_store(&watching, on);
}

unsigned long loader_shim_entered(void) {
    return atomic_load(&entered);
}

#define CHECK() check(__func__, __builtin_return_address(0))

void *dlopen(const char *path, int flags) {
    if (!CHECK()) between = true;
    return ((void *(*)(const char *, int))real("dlopen"))(path, flags);
}

int dlclose(void *handle) {
    CHECK();
    return ((int (*)(void *))real("dlclose"))(handle);
}

static void *watched_dlsym(void *handle, const char *name) {
    if (!CHECK()) between = false;
    if (strcmp(name, "dlsym") == 0) return (void *)watched_dlsym;
    return ((void *(*)(void *, const char *))real("dlsym"))(handle, name);
}

// Who asks for dlsym gets ours.
void *dlvsym(void *restrict handle, const char *restrict name, const char *restrict version) {
    CHECK();
    void *found = ((void *(*)(void *, const char *, const char *))real("dlvsym"))(handle, name, version);
    return found && strcmp(name, "dlsym") == 0 ? (void *)watched_dlsym : found;
}

int dladdr(const void *address, Dl_info *info) {
    CHECK();
    return ((int (*)(const void *, Dl_info *))real("dladdr"))(address, info);
}

int dladdr1(const void *address, Dl_info *info, void **extra, int flags) {
    CHECK();
    return ((int (*)(const void *, Dl_info *, void **, int))real("dladdr1"))(address, info, extra, flags);
}

int dlinfo(void *restrict handle, int request, void *restrict result) {
    CHECK();
    return ((int (*)(void *, int, void *))real("dlinfo"))(handle, request, result);
}

int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *user) {
    CHECK();
    return ((int (*)(int (*)(struct dl_phdr_info *, size_t, void *), void *))real("dl_iterate_phdr"))(callback, user);
}
