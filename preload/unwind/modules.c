/*
 * See modules.h. There are two copies of the list: one is read while the other is written. A reader that was held up
 * for so long that its copy is written again sees by the count of changes that it must look once more.
 */
#include "preload/unwind/modules.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

#include "tracer/memory.h"

#pragma weak dlvsym // of glibc

enum { FIRST_ROOM = 512, TRIES = 8 };

// The C library's struct dl_find_object, as declared from 2.35 on for these processors.
struct loader_answer {
    unsigned long long flags;
    void *start, *end;
    void *link_map;
    void *table;
    unsigned long long reserved[7];
};

struct module {
    _Atomic(uintptr_t) start, end, table;
};

struct copy {
    struct module *modules;
    size_t room;
    _Atomic(size_t) count;
};

// Written once, constant afterwards.
static int (*ask)(void *address, struct loader_answer *answer);

static struct copy copies[2];
static _Atomic(unsigned) changes; // copies[changes & 1] is read
static _Atomic(unsigned) wanted;  // refreshes asked for; who finds none under way does those of all

static void describe(const struct dl_phdr_info *info, struct mt_code *code) {
    *code = (struct mt_code){.start = UINTPTR_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_EH_FRAME) code->table = start;
        if (segment->p_type != PT_LOAD) continue;
        if (start < code->start) code->start = start;
        if (start + segment->p_memsz > code->end) code->end = start + segment->p_memsz;
    }
}

// Rooms only double, and an old one may still be read: it is left.
static bool make_room(struct copy *copy, size_t count) {
    if (count < copy->room) return true;
    size_t room = copy->room ? 2 * copy->room : FIRST_ROOM;
    struct module *modules = mt_pages_map(room * sizeof *modules);
    if (!modules) return false;
    for (size_t i = 0; i < count; i++) modules[i] = copy->modules[i];
    copy->modules = modules;
    copy->room = room;
    return true;
}

static int add(struct dl_phdr_info *info, size_t bytes, void *user) {
    struct copy *copy = user;
    struct mt_code code;
    size_t count = atomic_load_explicit(&copy->count, memory_order_relaxed);
    (void)bytes;
    describe(info, &code);
    if (code.start >= code.end) return 0;
    if (!make_room(copy, count)) return 1;
    struct module *module = &copy->modules[count];
    atomic_store_explicit(&module->start, code.start, memory_order_relaxed);
    atomic_store_explicit(&module->end, code.end, memory_order_relaxed);
    atomic_store_explicit(&module->table, code.table, memory_order_relaxed);
    atomic_store_explicit(&copy->count, count + 1, memory_order_relaxed);
    return 0;
}

void mt_unwind_modules_refresh(void) {
    if (ask || atomic_fetch_add(&wanted, 1) > 0) return;
    unsigned done;
    do {
        done = atomic_load(&wanted);
        struct copy *copy = &copies[(atomic_load(&changes) + 1) & 1];
        atomic_store_explicit(&copy->count, 0, memory_order_release);
        dl_iterate_phdr(add, copy);
        atomic_fetch_add(&changes, 1);
    } while (atomic_fetch_sub(&wanted, done) != done);
}

void mt_unwind_modules_start(bool ask_loader) {
    ask = NULL;
    if (ask_loader && dlvsym) *(void **)&ask = dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35");
    mt_unwind_modules_refresh();
}

static bool find_in_copy(uintptr_t address, struct mt_code *code) {
    for (int i = 0; i < TRIES; i++) {
        unsigned change = atomic_load_explicit(&changes, memory_order_acquire);
        const struct copy *copy = &copies[change & 1];
        size_t count = atomic_load_explicit(&copy->count, memory_order_acquire);
        bool found = false;
        for (size_t at = 0; at < count && !found; at++) {
            const struct module *module = &copy->modules[at];
            code->start = atomic_load_explicit(&module->start, memory_order_relaxed);
            code->end = atomic_load_explicit(&module->end, memory_order_relaxed);
            code->table = atomic_load_explicit(&module->table, memory_order_relaxed);
            found = address >= code->start && address < code->end;
        }
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&changes, memory_order_relaxed) == change) return found;
    }
    return false;
}

bool mt_unwind_module(uintptr_t address, struct mt_code *code) {
    struct loader_answer answer;
    if (!ask) return find_in_copy(address, code);
    if (ask((void *)address, &answer) != 0) return false;
    *code = (struct mt_code){(uintptr_t)answer.start, (uintptr_t)answer.end, (uintptr_t)answer.table};
    return true;
}
