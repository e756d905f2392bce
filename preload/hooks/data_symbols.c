/*
 * See data_symbols.h. Whether a reference means a variable, the referring object's symbol table tells: its entry has
 * the type STT_OBJECT, since the static linker saw a variable. Such a reference that leads to one of our functions is
 * led to the first object that defines a variable of that name, as the loader would have done without us. An executable
 * that is not position-independent has the variable itself, with a copy of its first value; the copy is then made
 * again.
 */
#include "preload/hooks/data_symbols.h"

#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "preload/elf_object.h"
#include "preload/hooks/lookup.h"

#if defined __x86_64__
enum { POINTS_A = R_X86_64_GLOB_DAT, POINTS_B = R_X86_64_64, COPIES = R_X86_64_COPY };
#elif defined __aarch64__
enum { POINTS_A = R_AARCH64_GLOB_DAT, POINTS_B = R_AARCH64_ABS64, COPIES = R_AARCH64_COPY };
#endif

// The first definition of a variable.
struct variable {
    const char *name;
    uintptr_t address;
    bool copied;      // `address` is an executable's copy …
    uintptr_t origin; // … of this one, 0 if it was not found
};

static bool is_variable(const ElfW(Sym) * symbol) {
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

static const char *name_of(const struct mt_elf_object *object, const ElfW(Rela) * relocation,
                           const ElfW(Sym) * *symbol) {
    *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
    return object->strings + (*symbol)->st_name;
}

static bool copies(const struct mt_elf_object *object, const char *name) {
    const ElfW(Rela) * relocation;
    const ElfW(Sym) * symbol;
    for (size_t i = 0; (relocation = mt_elf_relocation(object, i)); i++) {
        if (ELF64_R_TYPE(relocation->r_info) != COPIES) continue;
        if (strcmp(name_of(object, relocation, &symbol), name) == 0) return true;
    }
    return false;
}

static int find_variable(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    struct variable *variable = user;
    struct mt_elf_object object;
    const ElfW(Sym) *symbol = mt_elf_read(info, &object) ? mt_elf_find(&object, variable->name) : NULL;
    if (!symbol || !is_variable(symbol)) return 0;
    uintptr_t address = object.base + symbol->st_value;
    if (variable->copied) {
        variable->origin = address;
        return 1;
    }
    variable->address = address;
    variable->copied = copies(&object, variable->name);
    return !variable->copied;
}

static bool variable_called(const char *name, struct variable *variable) {
    *variable = (struct variable){.name = name};
    dl_iterate_phdr(find_variable, variable);
    return variable->address != 0;
}

static void mend_pointer(const struct mt_elf_object *object, const ElfW(Rela) * relocation) {
    const ElfW(Sym) * symbol;
    struct variable variable;
    uintptr_t slot = object->base + relocation->r_offset;
    uintptr_t its = atomic_load_explicit((_Atomic(uintptr_t) *)slot, memory_order_relaxed);
    const char *name = name_of(object, relocation, &symbol);
    uintptr_t ours = is_variable(symbol) ? (uintptr_t)mt_lookup_exported(name) : 0;
    if (!ours || its != ours + (uintptr_t)relocation->r_addend || !variable_called(name, &variable)) return;
    mt_elf_redirect(object, slot, variable.address + (uintptr_t)relocation->r_addend);
}

static void mend_copy(const struct mt_elf_object *object, const ElfW(Rela) * relocation) {
    const ElfW(Sym) * symbol;
    struct variable variable;
    const char *name = name_of(object, relocation, &symbol);
    const void *ours = mt_lookup_exported(name);
    void *copy = (void *)(object->base + relocation->r_offset);
    // What no longer equals our code was stored by the program.
    if (!ours || memcmp(copy, ours, symbol->st_size) != 0 || !variable_called(name, &variable) || !variable.origin)
        return;
    memcpy(copy, (const void *)variable.origin, symbol->st_size);
}

static int mend_object(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    struct mt_elf_object object;
    const ElfW(Rela) * relocation;
    if (!mt_elf_read(info, &object)) return 0;
    for (size_t i = 0; (relocation = mt_elf_relocation(&object, i)); i++) {
        unsigned type = ELF64_R_TYPE(relocation->r_info);
        if (type == POINTS_A || type == POINTS_B) mend_pointer(&object, relocation);
        if (type == COPIES) mend_copy(&object, relocation);
    }
    return 0;
}

static int any_variable(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    struct mt_elf_object object;
    if (!mt_elf_read(info, &object)) return 0;
    for (unsigned i = 0;; i++) {
        const char *name = mt_lookup_name(i);
        if (!name) return 0;
        const ElfW(Sym) *symbol = mt_elf_find(&object, name);
        if (symbol && is_variable(symbol)) return 1;
    }
}

void mt_data_symbols_mend(void) {
    static _Atomic(unsigned long long) mended;
    unsigned long long loaded = mt_elf_changes();
    if (atomic_exchange(&mended, loaded) == loaded) return;
    // Most processes have no such variable, and their relocations are many.
    if (dl_iterate_phdr(any_variable, NULL)) dl_iterate_phdr(mend_object, NULL);
}
