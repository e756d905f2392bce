/*
 * See hooks/late_frees.h. The functions are not exported by us, which would stand in front of a runtime that a library
 * has linked in. Instead, the relocated words of objects that lead to the shared runtime are led to the hooks, and only
 * once exit has begun. A runtime that is linked in has no such words: what is freed by it too late is not seen.
 */
#include "preload/hooks/late_frees.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/elf_object.h"
#include "preload/guard.h"
#include "preload/record.h"
#include "preload/session.h"

enum { UNLOADING = 4 }; // cudaErrorCudartUnloading, driver_types.h

// All of them free what their first argument names, and have one more or none.
typedef int free_fn(void *object, void *stream);

#define FUNCTIONS(X) X(cudaFree) X(cudaFreeAsync) X(cudaFreeHost) X(cudaFreeArray) X(cudaFreeMipmappedArray)

#define X(name) ROW_##name,
enum row { FUNCTIONS(X) ROWS };
#undef X

static int late_free(enum row row, void *object, void *stream);

#define X(name)                                                                                                        \
    static int late_##name(void *object, void *stream) {                                                               \
        return late_free(ROW_##name, object, stream);                                                                  \
    }
FUNCTIONS(X)
#undef X

#define X(name) {#name, late_##name, NULL, 0},
static struct {
    const char *name;
    free_fn *hook;
    // Written when exit begins, constant afterwards.
    free_fn *real;
    uint32_t api;
} functions[ROWS] = {FUNCTIONS(X)};
#undef X

struct late {
    enum row row;
    void *object;
    int result;
};

static void record(void *argument) {
    const struct late *late = argument;
    mt_record_late_free(functions[late->row].api, (uintptr_t)late->object, (uint64_t)late->result);
}

static int late_free(enum row row, void *object, void *stream) {
    int result = functions[row].real(object, stream);
    if (result == UNLOADING && object) mt_guarded(record, &(struct late){row, object, result});
    return result;
}

static int find_runtime(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    const char *file = strrchr(info->dlpi_name, '/');
    struct mt_elf_object object;
    if (strncmp(file ? file + 1 : info->dlpi_name, "libcudart.so", strlen("libcudart.so")) != 0) return 0;
    if (!mt_elf_read(info, &object)) return 0;
    for (int row = 0; row < ROWS; row++) {
        const ElfW(Sym) *symbol = mt_elf_find(&object, functions[row].name);
        functions[row].real = symbol ? (free_fn *)(object.base + symbol->st_value) : NULL;
    }
    return 1;
}

// The row whose real function the word leads to, or will lead to when it is first called; ROWS for none.
static enum row row_of(const struct mt_elf_object *object, const ElfW(Rela) * relocation, uintptr_t its) {
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = object->strings + symbol->st_name;
    if (ELF64_R_SYM(relocation->r_info) == 0 || symbol->st_shndx != SHN_UNDEF || strncmp(name, "cudaFree", 8) != 0)
        return ROWS;
    for (int row = 0; row < ROWS; row++) {
        bool leads_there = its == (uintptr_t)functions[row].real || (its >= object->start && its < object->end);
        if (functions[row].real && leads_there && strcmp(name, functions[row].name) == 0) return (enum row)row;
    }
    return ROWS;
}

static int redirect(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    struct mt_elf_object object;
    const ElfW(Rela) * relocation;
    if (!mt_elf_read(info, &object)) return 0;
    for (size_t i = 0; (relocation = mt_elf_relocation(&object, i)); i++) {
        uintptr_t slot = object.base + relocation->r_offset;
        if (ELF64_R_SYM(relocation->r_info) == 0 || relocation->r_addend != 0) continue;
        enum row row = row_of(&object, relocation, *(const uintptr_t *)slot);
        if (row != ROWS) mt_elf_redirect(&object, slot, (uintptr_t)functions[row].hook);
    }
    return 0;
}

void mt_late_frees_watch(void) {
    static atomic_flag watched = ATOMIC_FLAG_INIT;
    struct mt_trace *trace = mt_session_trace();
    if (!trace || atomic_flag_test_and_set(&watched) || !dl_iterate_phdr(find_runtime, NULL)) return;
    for (int row = 0; row < ROWS; row++) {
        functions[row].api = mt_define_api(trace, functions[row].name, MT_EFFECT_FREED, MT_MEMORY_DEVICE);
    }
    dl_iterate_phdr(redirect, NULL);
}
