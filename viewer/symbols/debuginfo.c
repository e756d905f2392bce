/*
 * Address → source through libdw; see debuginfo.h.
 */
#include "viewer/symbols/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "viewer/base/memory.h"

struct symbol {
    uint64_t address, bytes; // bytes 0: up to the next symbol
    const char *name;
};

struct mt_debuginfo {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf_Addr bias; // dwfl's address - ELF address
    struct symbol *symbols;
    size_t symbol_count;
    int symbols_read;
};

static char *debuginfo_path; // NULL: libdwfl's default (the file's folder, .debug, /usr/lib/debug)

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debuginfo_path,
};

void mt_debuginfo_search(const char *folder) {
    char *absolute = realpath(folder, NULL); // a relative one would start in each file's folder
    free(debuginfo_path);
    debuginfo_path = mt_format_text(":.debug:%s/usr/lib/debug:/usr/lib/debug", absolute ? absolute : folder);
    free(absolute);
}

enum mt_debuginfo_status mt_debuginfo_open(const char *path, int file, const uint8_t *build_id, size_t build_id_bytes,
                                           struct mt_debuginfo **out) {
    enum mt_debuginfo_status status = MT_DEBUGINFO_MISSING;
    struct mt_debuginfo *info = mt_allocate(sizeof(*info));
    *out = NULL;
    info->dwfl = dwfl_begin(&callbacks);
    info->module = info->dwfl ? dwfl_report_offline(info->dwfl, path, path, file) : NULL;
    if (!info->module) close(file); // else it is the module's
    if (!info->module) goto fail;
    dwfl_report_end(info->dwfl, NULL, NULL);
    if (!dwfl_module_getelf(info->module, &info->bias)) goto fail;

    const unsigned char *found = NULL;
    GElf_Addr where;
    int found_bytes = dwfl_module_build_id(info->module, &found, &where);
    if (found_bytes < 0) found_bytes = 0;
    if ((size_t)found_bytes != build_id_bytes || (found_bytes && memcmp(found, build_id, build_id_bytes) != 0)) {
        status = MT_DEBUGINFO_REPLACED;
        goto fail;
    }
    *out = info;
    return MT_DEBUGINFO_OK;
fail:
    mt_debuginfo_close(info);
    return status;
}

void mt_debuginfo_close(struct mt_debuginfo *info) {
    if (!info) return;
    if (info->dwfl) dwfl_end(info->dwfl);
    free(info->symbols);
    free(info);
}

static int by_address(const void *left, const void *right) {
    const struct symbol *a = left, *b = right;
    if (a->address != b->address) return a->address < b->address ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return strcmp(a->name, b->name);
}

// libdwfl searches its symbols one by one; a big library with many addresses to look up needs them sorted.
static void read_symbols(struct mt_debuginfo *info) {
    info->symbols_read = 1;
    int count = dwfl_module_getsymtab(info->module);
    size_t capacity = 0;
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(info->module, i, &symbol, &address, NULL, NULL, NULL);
        int type = GELF_ST_TYPE(symbol.st_info);
        bool code = type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && symbol.st_size);
        if (!name || !*name || !code || symbol.st_shndx == SHN_UNDEF) continue;
        mt_grow(&info->symbols, &capacity, info->symbol_count + 1);
        info->symbols[info->symbol_count++] = (struct symbol){address, symbol.st_size, name};
    }
    if (info->symbol_count) qsort(info->symbols, info->symbol_count, sizeof(*info->symbols), by_address);
}

static const char *symbol_at(struct mt_debuginfo *info, uint64_t address) {
    if (!info->symbols_read) read_symbols(info);
    size_t low = 0, high = info->symbol_count; // the last symbol that starts at or before the address
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (info->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return NULL;
    const struct symbol *symbol = &info->symbols[low - 1];
    return symbol->bytes == 0 || address - symbol->address < symbol->bytes ? symbol->name : NULL;
}

static const char *name_of(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    Dwarf_Attribute *linkage = dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute);
    if (!linkage) linkage = dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute);
    const char *name = linkage ? dwarf_formstring(linkage) : NULL;
    return name ? name : dwarf_diename(die);
}

// Compilers may leave a unit out of .debug_aranges; then ask the units one by one.
static Dwarf_Die *unit_at(struct mt_debuginfo *info, Dwarf_Addr address, Dwarf_Addr *bias) {
    Dwarf_Die *unit = dwfl_module_addrdie(info->module, address, bias);
    if (unit) return unit;
    while ((unit = dwfl_module_nextcu(info->module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) == 1) return unit;
    return NULL;
}

static bool is_function(int tag) {
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

static uint32_t number(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return 0;
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

// The scopes around an address as they are nested in the code. dwarf_getscopes alone would go on with the scopes of the
// inlined function's definition.
static int scopes_at(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die **scopes) {
    Dwarf_Die *lexical = NULL;
    int count = dwarf_getscopes(unit, pc, &lexical);
    if (count <= 0) return 0;
    Dwarf_Die innermost = lexical[0];
    free(lexical);
    count = dwarf_getscopes_die(&innermost, scopes);
    return count > 0 ? count : 0;
}

static const char *directory_of(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    return dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static size_t functions_at(Dwarf_Die *unit, Dwarf_Addr pc, struct mt_debuginfo_frame *frames, size_t room) {
    const char *file = NULL;
    int line = 0;
    Dwarf_Line *source = dwarf_getsrc_die(unit, pc);
    if (source) {
        file = dwarf_linesrc(source, NULL, NULL);
        if (dwarf_lineno(source, &line) != 0 || line < 0) line = 0;
    }
    Dwarf_Files *files = NULL;
    size_t file_count = 0;
    if (dwarf_getsrcfiles(unit, &files, &file_count) != 0) file_count = 0;

    Dwarf_Die *scopes = NULL;
    int count = scopes_at(unit, pc, &scopes);
    size_t used = 0;
    uint32_t at_line = (uint32_t)line;
    for (int i = 0; i < count && used < room; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (!is_function(tag)) continue;
        frames[used++] = (struct mt_debuginfo_frame){
            .function = name_of(&scopes[i]), .file = at_line ? file : NULL, .line = at_line};
        if (tag != DW_TAG_inlined_subroutine) break;
        uint32_t call_file = number(&scopes[i], DW_AT_call_file);
        file = call_file < file_count ? dwarf_filesrc(files, call_file, NULL, NULL) : NULL;
        at_line = file ? number(&scopes[i], DW_AT_call_line) : 0;
    }
    free(scopes);
    if (used == 0 && file && line && room)
        frames[used++] = (struct mt_debuginfo_frame){.file = file, .line = (uint32_t)line};
    return used;
}

size_t mt_debuginfo_find(struct mt_debuginfo *info, uint64_t elf_address, struct mt_debuginfo_frame *frames,
                         size_t room) {
    Dwarf_Addr address = elf_address + info->bias, bias = 0;
    Dwarf_Die *unit = unit_at(info, address, &bias);
    size_t count = unit ? functions_at(unit, address - bias, frames, room) : 0;
    for (size_t i = 0; i < count; i++) frames[i].directory = directory_of(unit);
    if (count && frames[count - 1].function) return count;

    const char *name = symbol_at(info, address);
    if (count) {
        frames[count - 1].function = name;
    } else if (name && room) {
        frames[count++] = (struct mt_debuginfo_frame){.function = name};
    }
    return count;
}
