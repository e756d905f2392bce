/*
 * See elf_object.h. A GNU hash table is laid out as glibc's dl-lookup.c reads it: bucket count, first hashed symbol,
 * Bloom words and shift, the Bloom filter, the buckets, and a chain of hashes that ends at one with its lowest bit set.
 */
#include "preload/elf_object.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// glibc adds the base to the pointers of a dynamic section that it may write to; others do not.
static const void *pointer(const struct dl_phdr_info *info, ElfW(Addr) value) {
    return (const void *)(uintptr_t)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

static void read_dynamic(const struct dl_phdr_info *info, const ElfW(Dyn) * entry, struct mt_elf_object *object) {
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *at = pointer(info, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            object->symbols = at;
            break;
        case DT_STRTAB:
            object->strings = at;
            break;
        case DT_GNU_HASH:
            object->gnu_hash = at;
            break;
        case DT_HASH:
            object->hash = at;
            break;
        case DT_RELA:
            object->relocations[0].first = at;
            break;
        case DT_RELASZ:
            object->relocations[0].count = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_JMPREL:
            object->relocations[1].first = at;
            break;
        case DT_PLTRELSZ:
            object->relocations[1].count = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (!object->relocations[i].first) object->relocations[i].count = 0;
    }
}

bool mt_elf_read(const struct dl_phdr_info *info, struct mt_elf_object *object) {
    *object = (struct mt_elf_object){.base = info->dlpi_addr, .start = UINTPTR_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && at < object->start) object->start = at;
        if (header->p_type == PT_LOAD && at + header->p_memsz > object->end) object->end = at + header->p_memsz;
        if (header->p_type == PT_DYNAMIC) read_dynamic(info, (const ElfW(Dyn) *)at, object);
        if (header->p_type == PT_GNU_RELRO) {
            object->relro = at;
            object->relro_end = at + header->p_memsz;
        }
    }
    return object->symbols && object->strings && (object->gnu_hash || object->hash);
}

static bool defines(const struct mt_elf_object *object, const ElfW(Sym) * symbol, const char *name) {
    return symbol->st_shndx != SHN_UNDEF && strcmp(object->strings + symbol->st_name, name) == 0;
}

static const ElfW(Sym) * find_by_gnu_hash(const struct mt_elf_object *object, const char *name) {
    const uint32_t *table = object->gnu_hash;
    uint32_t buckets = table[0], first = table[1], words = table[2], shift = table[3], hash = 5381;
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(bloom + words), *chain = bucket + buckets;
    enum { BITS = 8 * sizeof(ElfW(Addr)) };
    for (const char *c = name; *c; c++) hash = hash * 33 + (unsigned char)*c;
    ElfW(Addr) word = bloom[hash / BITS % words];
    if (!(word >> hash % BITS & word >> (hash >> shift) % BITS & 1)) return NULL;
    uint32_t index = bucket[hash % buckets];
    if (index < first) return NULL;
    for (;; index++) {
        uint32_t its = chain[index - first];
        if ((its | 1) == (hash | 1) && defines(object, &object->symbols[index], name)) return &object->symbols[index];
        if (its & 1) return NULL;
    }
}

static const ElfW(Sym) * find_by_hash(const struct mt_elf_object *object, const char *name) {
    uint32_t buckets = object->hash[0], hash = 0;
    const uint32_t *bucket = object->hash + 2, *chain = bucket + buckets;
    for (const char *c = name; *c; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    for (uint32_t index = bucket[hash % buckets]; index != STN_UNDEF; index = chain[index]) {
        if (defines(object, &object->symbols[index], name)) return &object->symbols[index];
    }
    return NULL;
}

const ElfW(Sym) * mt_elf_find(const struct mt_elf_object *object, const char *name) {
    return object->gnu_hash ? find_by_gnu_hash(object, name) : find_by_hash(object, name);
}

static int read_counters(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    *(unsigned long long *)user = info->dlpi_adds + info->dlpi_subs; // both only grow
    return 1;
}

unsigned long long mt_elf_changes(void) {
    unsigned long long count = 0;
    dl_iterate_phdr(read_counters, &count);
    return count;
}

void mt_elf_redirect(const struct mt_elf_object *object, uintptr_t slot, uintptr_t address) {
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE), page = slot & ~(page_bytes - 1);
    bool protected = slot >= object->relro && slot < object->relro_end;
    if (protected && mprotect((void *)page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
    atomic_store_explicit((_Atomic(uintptr_t) *)slot, address, memory_order_release);
    if (protected) mprotect((void *)page, page_bytes, PROT_READ);
}

// The segment of an object that holds an address, or NULL.
static const ElfW(Phdr) * segment_at(const struct dl_phdr_info *info, uintptr_t address) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && address - info->dlpi_addr - header->p_vaddr < header->p_memsz) return header;
    }
    return NULL;
}

static int code_is_at(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    const ElfW(Phdr) *segment = segment_at(info, *(const uintptr_t *)user);
    return segment ? (segment->p_flags & PF_X ? 1 : -1) : 0;
}

bool mt_elf_is_code(const void *address) {
    uintptr_t at = (uintptr_t)address;
    // What lies in no object was made at run time, and is no variable of anybody's.
    return dl_iterate_phdr(code_is_at, &at) >= 0;
}

struct definition {
    uintptr_t address;
    const char *name;
};

static int defines_there(struct dl_phdr_info *info, size_t bytes, void *user) {
    (void)bytes;
    const struct definition *sought = user;
    struct mt_elf_object object;
    if (!segment_at(info, sought->address)) return 0;
    return mt_elf_read(info, &object) && mt_elf_find(&object, sought->name) ? 1 : -1;
}

bool mt_elf_object_at_defines(const void *address, const char *name) {
    struct definition sought = {(uintptr_t)address, name};
    return dl_iterate_phdr(defines_there, &sought) > 0;
}
