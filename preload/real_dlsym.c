/*
 * Finds the dlsyms behind our own without calling dlsym: through dlvsym, which needs the version that each port and age
 * of glibc gave it. Other C libraries have no dlvsym; there the objects' symbol tables are read. Runs as early as the
 * first dlsym of any constructor, so it depends on nothing of ours.
 */
#include "preload/real_dlsym.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/elf_object.h"

#pragma weak dlvsym

_Atomic(mt_dlsym_fn *) mt_dlsym_next __attribute__((visibility("hidden")));
_Atomic(mt_dlsym_fn *) mt_dlsym_libc __attribute__((visibility("hidden")));

static mt_dlsym_fn *by_version(void *handle) {
    // x86-64's first, aarch64's first, and both since libdl became part of libc.
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    void *found = NULL;
    for (size_t i = 0; !found && i < sizeof versions / sizeof versions[0]; i++) {
        found = dlvsym(handle, "dlsym", versions[i]);
    }
    return (mt_dlsym_fn *)found;
}

struct definitions {
    bool behind_ours; // the walk has passed this library
    void *first, *last;
};

static int note_definition(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    struct definitions *definitions = user;
    struct mt_elf_object object;
    const ElfW(Sym) *symbol = mt_elf_read(info, &object) ? mt_elf_find(&object, "dlsym") : NULL;
    if (!symbol) return 0;
    void *address = (void *)(object.base + symbol->st_value);
    if (mt_elf_find(&object, "memtrace_library")) {
        definitions->behind_ours = true;
    } else if (definitions->behind_ours) {
        if (!definitions->first) definitions->first = address;
        definitions->last = address;
    }
    return 0;
}

static mt_dlsym_fn *by_symbol_tables(bool first) {
    struct definitions definitions = {false, NULL, NULL};
    dl_iterate_phdr(note_definition, &definitions);
    return (mt_dlsym_fn *)(first ? definitions.first : definitions.last);
}

mt_dlsym_fn *mt_next_dlsym(void) {
    mt_dlsym_fn *found = atomic_load_explicit(&mt_dlsym_next, memory_order_acquire);
    if (found) return found;
    if (dlvsym) {
        found = by_version(RTLD_NEXT);
        // That steps over an interposer whose dlsym has no version. The one found answers without.
        mt_dlsym_fn *nearer = found ? (mt_dlsym_fn *)found(RTLD_NEXT, "dlsym") : NULL;
        if (nearer) found = nearer;
    } else {
        found = by_symbol_tables(true);
    }
    atomic_store_explicit(&mt_dlsym_next, found, memory_order_release);
    return found;
}

// The C library's own. Until glibc 2.34 it was in a library beside.
static mt_dlsym_fn *libc_dlsym(void) {
    static const char *const libraries[] = {"libc.so.6", "libdl.so.2"};
    mt_dlsym_fn *found = atomic_load_explicit(&mt_dlsym_libc, memory_order_acquire);
    for (size_t i = 0; dlvsym && !found && i < sizeof libraries / sizeof libraries[0]; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = by_version(library);
    }
    if (!dlvsym && !found) found = by_symbol_tables(false);
    if (!found) found = mt_next_dlsym();
    atomic_store_explicit(&mt_dlsym_libc, found, memory_order_release);
    return found;
}

void *mt_real_dlsym(void *handle, const char *name) {
    mt_dlsym_fn *real = libc_dlsym();
    return real ? real(handle, name) : NULL;
}

static void *quietly(void *scope, const char *name) {
    mt_dlsym_fn *real = libc_dlsym();
    void *found = real ? real(scope, name) : NULL;
    if (!found) dlerror();
    return found;
}

void *mt_next_symbol(const char *name) {
    return quietly(RTLD_NEXT, name);
}

void *mt_first_symbol(const char *name) {
    // Not RTLD_DEFAULT: this library is linked to find its own definitions first.
    void *program = dlopen(NULL, RTLD_LAZY);
    return program ? quietly(program, name) : NULL;
}
