/*
 * The dynamic symbols and relocations of a loaded object, read where the loader has them: answers that neither take the
 * loader's lock nor pass through other libraries' dlsym. Valid while the object stays loaded.
 */
#ifndef MEMTRACE_PRELOAD_ELF_OBJECT_H
#define MEMTRACE_PRELOAD_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mt_elf_object {
    uintptr_t base;
    uintptr_t start, end;       // of its segments
    uintptr_t relro, relro_end; // made read-only after relocation; empty if none
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash; // one of the two is there
    const uint32_t *hash;
    struct {
        const ElfW(Rela) * first;
        size_t count;
    } relocations[2]; // DT_RELA, DT_JMPREL
};

// False for an object without dynamic symbols.
bool mt_elf_read(const struct dl_phdr_info *info, struct mt_elf_object *object);

// The definition of `name`, of any version; NULL if the object has none.
const ElfW(Sym) * mt_elf_find(const struct mt_elf_object *object, const char *name);

// The relocations of both tables, by number from 0; NULL behind the last.
static inline const ElfW(Rela) * mt_elf_relocation(const struct mt_elf_object *object, size_t number) {
    if (number < object->relocations[0].count) return &object->relocations[0].first[number];
    number -= object->relocations[0].count;
    return number < object->relocations[1].count ? &object->relocations[1].first[number] : NULL;
}

// How often the loader has loaded or unloaded objects: equal as long as they are the same. Walks to the first of them.
unsigned long long mt_elf_changes(void);

// Stores an address to a relocated word of the object, which the loader may have made read-only.
void mt_elf_redirect(const struct mt_elf_object *object, uintptr_t slot, uintptr_t address);

// Whether code lies at the address, in whatever object. Walks the list of objects (dl_iterate_phdr).
bool mt_elf_is_code(const void *address);

// Whether an object that is loaded at the address defines `name`. Walks the list of objects.
bool mt_elf_object_at_defines(const void *address, const char *name);

#endif
