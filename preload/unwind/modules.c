/*
 * See modules.h. The loader's list is there for debuggers (_r_debug). Read without its lock it may change under us:
 * each piece is read only where memory can be read, and what comes out is a module or none. A walk that is misled by
 * half a change finds no table, or one that does not cover the place.
 */
#include "preload/unwind/modules.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "preload/unwind/stack_memory.h"

// Of glibc.
#pragma weak dlvsym
#pragma weak _r_debug

enum { MODULES_MAX = 1 << 16, SEGMENTS_MAX = 64 }; // bound a list or a header that is misread

// The C library's struct dl_find_object, as declared from 2.35 on for these processors.
struct loader_answer {
    unsigned long long flags;
    void *start, *end;
    void *link_map;
    void *table;
    unsigned long long reserved[7];
};

// Written once, constant afterwards.
static int (*ask)(void *address, struct loader_answer *answer);

void mt_unwind_modules_start(bool ask_library) {
    ask = NULL;
    if (ask_library && dlvsym) *(void **)&ask = dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35");
}

// Copies what can be read. *page: the last one that could, so that neighbours cost no question.
static bool copy(uintptr_t from, void *to, size_t bytes, uintptr_t *page) {
    uintptr_t last = (from + bytes - 1) & ~(uintptr_t)(MT_STACK_PAGE - 1);
    for (uintptr_t at = from & ~(uintptr_t)(MT_STACK_PAGE - 1); at <= last; at += MT_STACK_PAGE) {
        if (at != *page && !mt_page_readable(at)) return false;
        *page = at;
    }
    memcpy(to, (const void *)from, bytes);
    return true;
}

static void add_segment(struct mt_code *code, uintptr_t bias, const ElfW(Phdr) * segment) {
    uintptr_t start = bias + segment->p_vaddr;
    if (segment->p_type == PT_GNU_EH_FRAME) code->table = start;
    if (segment->p_type != PT_LOAD) return;
    if (start < code->start) code->start = start;
    if (start + segment->p_memsz > code->end) code->end = start + segment->p_memsz;
}

// The program's segments are told by the kernel, those of others by the header that they begin with.
static bool read_segments(uintptr_t bias, bool is_program, struct mt_code *code) {
    uintptr_t page = 0, headers = getauxval(AT_PHDR);
    size_t count = getauxval(AT_PHNUM);
    if (!is_program) {
        ElfW(Ehdr) header;
        if (!copy(bias, &header, sizeof header, &page) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
        headers = bias + header.e_phoff;
        count = header.e_phnum;
    }
    *code = (struct mt_code){.start = UINTPTR_MAX};
    for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
        ElfW(Phdr) segment;
        if (!copy(headers + i * sizeof segment, &segment, sizeof segment, &page)) return false;
        add_segment(code, bias, &segment);
    }
    return true;
}

// Modules don't overlap: it can only be the last that begins before the address. The list begins with the program.
static bool find_in_list(uintptr_t address, struct mt_code *code) {
    uintptr_t at = &_r_debug ? (uintptr_t)_r_debug.r_map : 0, page = 0, bias = 0;
    bool found = false, is_program = false;
    for (int i = 0; at && i < MODULES_MAX; i++) {
        struct link_map map;
        if (!copy(at, &map, sizeof map, &page)) break;
        if (map.l_addr <= address && (!found || map.l_addr > bias)) {
            bias = map.l_addr;
            is_program = i == 0;
            found = true;
        }
        at = (uintptr_t)map.l_next;
    }
    return found && read_segments(bias, is_program, code) && address >= code->start && address < code->end;
}

bool mt_unwind_module(uintptr_t address, struct mt_code *code) {
    struct loader_answer answer;
    if (!ask) return find_in_list(address, code);
    if (ask((void *)address, &answer) != 0) return false;
    *code = (struct mt_code){(uintptr_t)answer.start, (uintptr_t)answer.end, (uintptr_t)answer.table};
    if (!code->table || (code->table >= code->start && code->table < code->end)) return true;
    // Of an object with holes between its segments, as older linkers leave, it tells the one segment, without the
    // table.
    const struct link_map *map = answer.link_map;
    return read_segments(map->l_addr, &_r_debug && map == _r_debug.r_map, code);
}
