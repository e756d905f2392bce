/*
 * The pieces of the interpreter loop. The dynamic symbol names the main one; compilers move unlikely code into a second
 * (.cold), and 3.14 can be built with a function an instruction (_TAIL_CALL_…): those only the full symbol table of the
 * file names, if it is not stripped.
 */
#include "preload/python/loop.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma weak dladdr1 // of glibc

#define LOOP_NAME      "_PyEval_EvalFrameDefault"
#define TAIL_CALL_NAME "_TAIL_CALL_"

// Keeps the ranges sorted; one that starts where another does is the same symbol, seen in the other table.
static void add_piece(struct mt_python *python, uintptr_t start, size_t bytes) {
    size_t at = python->loop_count;
    if (bytes == 0 || at == MT_PYTHON_LOOP_PIECES) return;
    while (at > 0 && python->loop[at - 1].start >= start) at--;
    if (at < python->loop_count && python->loop[at].start == start) return;
    memmove(&python->loop[at + 1], &python->loop[at], (python->loop_count - at) * sizeof python->loop[0]);
    python->loop[at] = (struct mt_python_range){start, start + bytes};
    python->loop_count++;
}

static bool names_a_piece(const char *name) {
    size_t length = sizeof LOOP_NAME - 1;
    if (strncmp(name, LOOP_NAME, length) == 0) return name[length] == '\0' || name[length] == '.';
    return strncmp(name, TAIL_CALL_NAME, sizeof TAIL_CALL_NAME - 1) == 0;
}

// An ELF file in memory. It is a loaded module's, so the loader has judged it; sizes are checked all the same, since it
// may have been replaced on disk.
struct elf_file {
    const char *data;
    size_t bytes;
};

static const void *elf_at(const struct elf_file *file, uint64_t offset, uint64_t bytes) {
    if (offset > file->bytes || bytes > file->bytes - offset) return NULL;
    return file->data + offset;
}

static void scan_symbols(const struct elf_file *file, const ElfW(Shdr) * symbols, const ElfW(Shdr) * strings,
                         uintptr_t bias, struct mt_python *python) {
    const ElfW(Sym) *symbol = elf_at(file, symbols->sh_offset, symbols->sh_size);
    const char *names = elf_at(file, strings->sh_offset, strings->sh_size);
    if (!symbol || !names || strings->sh_size == 0 || names[strings->sh_size - 1] != '\0') return;
    for (size_t i = 0; i < symbols->sh_size / sizeof *symbol; i++) {
        if (symbol[i].st_shndx == SHN_UNDEF || symbol[i].st_name >= strings->sh_size) continue;
        if (names_a_piece(names + symbol[i].st_name)) {
            add_piece(python, bias + symbol[i].st_value, symbol[i].st_size);
        }
    }
}

static void scan_sections(const struct elf_file *file, uintptr_t bias, struct mt_python *python) {
    const ElfW(Ehdr) *header = elf_at(file, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(ElfW(Shdr))) return;
    const ElfW(Shdr) *section = elf_at(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof *section);
    if (!section) return;
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (section[i].sh_type == SHT_SYMTAB && section[i].sh_link < header->e_shnum) {
            scan_symbols(file, &section[i], &section[section[i].sh_link], bias, python);
        }
    }
}

static void scan_file(const char *path, uintptr_t bias, struct mt_python *python) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        struct elf_file file = {.bytes = (size_t)status.st_size};
        void *data = mmap(NULL, file.bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            file.data = data;
            scan_sections(&file, bias, python);
            munmap(data, file.bytes);
        }
    }
    close(fd);
}

// Is this module the interpreter and nothing else? A program that links it statically keeps its own frames.
static bool is_interpreter(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    return strncmp(base, "python", 6) == 0 || strncmp(base, "libpython", 9) == 0;
}

struct text_search {
    uintptr_t address;
    struct mt_python_range found;
};

static int find_text(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    struct text_search *search = argument;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && search->address - start < segment->p_memsz) {
            search->found = (struct mt_python_range){start, start + segment->p_memsz};
            return 1;
        }
    }
    return 0;
}

void mt_python_find_loop(const void *loop, struct mt_python *python) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    struct link_map *map = NULL;
    char path[PATH_MAX];
    if (!dladdr1 || !dladdr1(loop, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return;
    add_piece(python, (uintptr_t)loop, symbol->st_size);
    if (!dladdr1(loop, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return;

    if (map->l_name[0] == '\0') { // the executable
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        scan_file("/proc/self/exe", map->l_addr, python);
    } else {
        strncpy(path, map->l_name, sizeof path - 1);
        path[sizeof path - 1] = '\0';
        scan_file(path, map->l_addr, python);
    }
    struct text_search search = {.address = (uintptr_t)loop};
    if (is_interpreter(path) && dl_iterate_phdr(find_text, &search)) python->text = search.found;
}

static bool in_loop(const struct mt_python *python, uintptr_t address) {
    size_t low = 0, high = python->loop_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (python->loop[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < python->loop_count && address >= python->loop[low].start;
}

// A return address points behind its call, which may be the last instruction of a piece.
enum mt_python_part mt_python_part(const struct mt_python *python, uintptr_t return_address) {
    uintptr_t address = return_address - 1;
    bool in_text = address >= python->text.start && address < python->text.end;
    if (!in_text && python->text.end) return MT_PYTHON_OUTSIDE;
    if (in_loop(python, address)) return MT_PYTHON_LOOP;
    return in_text ? MT_PYTHON_TEXT : MT_PYTHON_OUTSIDE;
}
