/*
 * See hooks/bypass.h. What an object's references lead to stands in its relocated words. Only objects that name libcuda
 * among their dependencies can be meant, and few do, so the relocations of all others are not read.
 */
#include "preload/hooks/bypass.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#include "preload/elf_object.h"
#include "preload/hooks/table.h"

struct search {
    char *name;
    size_t name_bytes;
};

static bool needs_driver(const struct dl_phdr_info *info, const char *strings) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_NEEDED && strncmp(strings + entry->d_un.d_val, "libcuda.so", 10) == 0) return true;
        }
    }
    return false;
}

static bool bypasses(const struct mt_elf_object *object, const ElfW(Rela) * relocation) {
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = object->strings + symbol->st_name;
    if (ELF64_R_SYM(relocation->r_info) == 0 || symbol->st_shndx != SHN_UNDEF || strncmp(name, "cu", 2) != 0)
        return false;
    int row = mt_hook_row(name);
    return row >= 0 && mt_hook_is_own((unsigned)row, *(void *const *)(object->base + relocation->r_offset));
}

static int look_at(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    const struct search *search = user;
    struct mt_elf_object object;
    if (!mt_elf_read(info, &object) || !needs_driver(info, object.strings)) return 0;
    const ElfW(Rela) * relocation;
    for (size_t i = 0; (relocation = mt_elf_relocation(&object, i)); i++) {
        if (!bypasses(&object, relocation)) continue;
        snprintf(search->name, search->name_bytes, "%s", *info->dlpi_name ? info->dlpi_name : "the program");
        return 1;
    }
    return 0;
}

bool mt_bypass_find(char *name, size_t name_bytes) {
    return dl_iterate_phdr(look_at, &(struct search){name, name_bytes}) != 0;
}
