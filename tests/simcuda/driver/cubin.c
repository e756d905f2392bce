// Finds the ELF file in a fat binary and reads symbols and the .nv.info sections, whose records are
// { u8 format, u8 attribute, u16 size or value, payload when the format is 4 }.
#include "tests/simcuda/driver/cubin.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    WRAPPER_MAGIC = 0x466243b1, // of __fatDeviceText: { u32 magic, u32 version, const void *data, … }
    FATBIN_ELF = 2,             // kind of an entry
    SYMBOL_IS_ENTRY = 0x10,     // in st_other: a kernel
    SYMBOL_IS_MANAGED = 0x04,
    FORMAT_SIZED = 4,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_MIN_STACK_SIZE = 0x12,
    ATTRIBUTE_PARAM = 0x17,
    ATTRIBUTE_REGISTERS = 0x2f,
};
#define FATBIN_MAGIC 0xba55ed50u

struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; // after the header
};

struct fatbin_entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; // after this header
};

struct elf {
    const char *start;
    const Elf64_Shdr *sections;
    const char *section_names;
    const Elf64_Sym *symbols;
    const char *symbol_names;
    unsigned section_count, symbol_count;
};

static const char *find_elf(const void *image) {
    uint32_t magic;
    memcpy(&magic, image, sizeof(magic));
    if (magic == WRAPPER_MAGIC) {
        memcpy(&image, (const char *)image + 8, sizeof(image));
        memcpy(&magic, image, sizeof(magic));
    }
    if (memcmp(image, ELFMAG, SELFMAG) == 0) return image;
    if (magic != FATBIN_MAGIC) return NULL;
    struct fatbin_header header;
    memcpy(&header, image, sizeof(header));
    const char *at = (const char *)image + header.header_bytes, *end = at + header.bytes, *best = NULL;
    while (at < end) {
        struct fatbin_entry entry;
        memcpy(&entry, at, sizeof(entry));
        if (entry.kind == FATBIN_ELF && memcmp(at + entry.header_bytes, ELFMAG, SELFMAG) == 0)
            best = at + entry.header_bytes; // the last: the newest architecture
        at += entry.header_bytes + entry.bytes;
    }
    return best;
}

static int open_elf(const void *image, struct elf *elf) {
    const char *start = find_elf(image);
    if (!start) return -ENOENT;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(start + header->e_shoff);
    *elf = (struct elf){.start = start, .sections = sections, .section_count = header->e_shnum};
    elf->section_names = start + sections[header->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < elf->section_count; i++)
        if (sections[i].sh_type == SHT_SYMTAB) {
            elf->symbols = (const Elf64_Sym *)(start + sections[i].sh_offset);
            elf->symbol_count = (unsigned)(sections[i].sh_size / sizeof(Elf64_Sym));
            elf->symbol_names = start + sections[sections[i].sh_link].sh_offset;
        }
    return elf->symbols ? 0 : -ENOENT;
}

static bool is_kernel(const Elf64_Sym *symbol) {
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_other & SYMBOL_IS_ENTRY && symbol->st_shndx;
}

static const char *section_name(const struct elf *elf, unsigned index) {
    return elf->section_names + elf->sections[index].sh_name;
}

static bool is_variable(const struct elf *elf, const Elf64_Sym *symbol) {
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || !symbol->st_shndx || symbol->st_shndx >= elf->section_count)
        return false;
    const char *section = section_name(elf, symbol->st_shndx);
    return !strncmp(section, ".nv.global", 10) || !strcmp(section, ".nv.constant3");
}

static const Elf64_Shdr *section_for(const struct elf *elf, const char *prefix, const char *name) {
    size_t length = strlen(prefix);
    for (unsigned i = 0; i < elf->section_count; i++) {
        const char *section = section_name(elf, i);
        if (!strncmp(section, prefix, length) && !strcmp(section + length, name)) return &elf->sections[i];
    }
    return NULL;
}

// Calls back for each record of an .nv.info section that has a payload.
static void each_record(const struct elf *elf, const Elf64_Shdr *section,
                        void (*use)(void *context, uint8_t attribute, const uint32_t *payload), void *context) {
    const char *at = elf->start + section->sh_offset, *end = at + section->sh_size;
    while (at + 4 <= end) {
        uint16_t bytes;
        memcpy(&bytes, at + 2, sizeof(bytes));
        uint32_t payload[3] = {0};
        if (at[0] != FORMAT_SIZED) {
            at += 4;
            continue;
        }
        memcpy(payload, at + 4, bytes < sizeof(payload) ? bytes : sizeof(payload));
        use(context, (uint8_t)at[1], payload);
        at += 4 + bytes;
    }
}

// A kernel's own section: payload { index, ordinal | offset << 16, flags | bytes << 18 }.
static void use_parameter(void *context, uint8_t attribute, const uint32_t *payload) {
    struct sim_cubin_kernel *kernel = context;
    uint32_t ordinal = payload[1] & 0xffff;
    if (attribute != ATTRIBUTE_PARAM || ordinal >= SIM_MAX_PARAMS) return;
    kernel->params[ordinal].offset = (uint16_t)(payload[1] >> 16);
    kernel->params[ordinal].bytes = (uint16_t)(payload[2] >> 18);
    if (ordinal >= kernel->param_count) kernel->param_count = ordinal + 1;
}

struct module_records {
    const struct elf *elf;
    struct sim_cubin *cubin;
};

// The module's section: payload { symbol, value }.
static void use_resource(void *context, uint8_t attribute, const uint32_t *payload) {
    struct module_records *records = context;
    if (payload[0] >= records->elf->symbol_count) return;
    const char *name = records->elf->symbol_names + records->elf->symbols[payload[0]].st_name;
    for (uint32_t i = 0; i < records->cubin->kernel_count; i++) {
        struct sim_cubin_kernel *kernel = &records->cubin->kernels[i];
        if (strcmp(kernel->name, name) != 0) continue;
        if (attribute == ATTRIBUTE_REGISTERS) kernel->registers = payload[1];
        bool stack = attribute == ATTRIBUTE_FRAME_SIZE || attribute == ATTRIBUTE_MIN_STACK_SIZE;
        if (stack && payload[1] > kernel->local_bytes) kernel->local_bytes = payload[1];
    }
}

static void read_kernel(const struct elf *elf, const Elf64_Sym *symbol, struct sim_cubin_kernel *kernel) {
    kernel->name = elf->symbol_names + symbol->st_name;
    const Elf64_Shdr *info = section_for(elf, ".nv.info.", kernel->name);
    if (info) each_record(elf, info, use_parameter, kernel);
    const Elf64_Shdr *shared = section_for(elf, ".nv.shared.", kernel->name);
    if (shared) kernel->shared_bytes = (uint32_t)shared->sh_size;
}

static void read_variable(const struct elf *elf, const Elf64_Sym *symbol, struct sim_cubin_variable *variable) {
    const Elf64_Shdr *section = &elf->sections[symbol->st_shndx];
    variable->name = elf->symbol_names + symbol->st_name;
    variable->bytes = symbol->st_size;
    variable->managed = symbol->st_other & SYMBOL_IS_MANAGED;
    if (section->sh_type != SHT_NOBITS) variable->initial = elf->start + section->sh_offset + symbol->st_value;
}

int sim_cubin_read(const void *image, struct sim_cubin *cubin) {
    struct elf elf;
    *cubin = (struct sim_cubin){0};
    int error = open_elf(image, &elf);
    if (error) return error;
    cubin->kernels = calloc(elf.symbol_count, sizeof(*cubin->kernels));
    cubin->variables = calloc(elf.symbol_count, sizeof(*cubin->variables));
    if (!cubin->kernels || !cubin->variables) {
        sim_cubin_free(cubin);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < elf.symbol_count; i++) {
        if (is_kernel(&elf.symbols[i]))
            read_kernel(&elf, &elf.symbols[i], &cubin->kernels[cubin->kernel_count++]);
        else if (is_variable(&elf, &elf.symbols[i]))
            read_variable(&elf, &elf.symbols[i], &cubin->variables[cubin->variable_count++]);
    }
    const Elf64_Shdr *info = section_for(&elf, ".nv.info", "");
    struct module_records records = {.elf = &elf, .cubin = cubin};
    if (info) each_record(&elf, info, use_resource, &records);
    return 0;
}

void sim_cubin_free(struct sim_cubin *cubin) {
    free(cubin->kernels);
    free(cubin->variables);
    *cubin = (struct sim_cubin){0};
}
