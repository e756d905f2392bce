/*
 * The list of loaded modules, so that addresses can be resolved afterwards with what was mapped when they were
 * recorded. The loader's list is copied in its callback, under its lock and none of ours; then compared with what is
 * known under our lock. The loader's counters of loads and unloads tell whether there is anything to do, and which of
 * two concurrent copies is the newer.
 *
 * That is for where the program loads or unloads. A stack that leads into a module which is not known yet – an
 * initialiser's – asks the C library for that one alone, from 2.35 on: _dl_find_object takes no lock. Before, it is
 * dl_iterate_phdr here, too. That does not wait for initialisers, which run under another of the loader's locks, but
 * for whoever is in a callback of dl_iterate_phdr.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "tracer/checksum.h"
#include "tracer/codec.h"
#include "tracer/internal.h"

enum {
    BUILD_ID_MAX = 64,
    FIRST_SCRATCH_BYTES = 512 * 1024,
    SCRATCH_BYTES_MAX = 64 * 1024 * 1024,
    RETRY_NS = 100 * 1000 * 1000,
};

struct found {
    uint64_t start, end, bias;
    uint8_t build_id[BUILD_ID_MAX];
    uint32_t build_id_bytes;
    uint32_t path_bytes;
    char path[]; // not terminated
};

struct listing {
    uint64_t added, removed;
    char *scratch;
    size_t bytes, used;
    bool overflow;
};

static size_t found_bytes(size_t path_bytes) {
    return (sizeof(struct found) + path_bytes + 7) & ~(size_t)7;
}

static void read_build_id(struct found *found, const char *notes, size_t bytes) {
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes, sizeof note);
        size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        size_t data = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > bytes - sizeof note || data > bytes - sizeof note - name) return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= BUILD_ID_MAX &&
            memcmp(notes + sizeof note, "GNU", 4) == 0) {
            memcpy(found->build_id, notes + sizeof note + name, note.n_descsz);
            found->build_id_bytes = note.n_descsz;
            return;
        }
        notes += sizeof note + name + data;
        bytes -= sizeof note + name + data;
    }
}

// Notes are only read where a segment maps them.
static bool is_mapped(const struct dl_phdr_info *info, const ElfW(Phdr) * note) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) && note->p_vaddr >= segment->p_vaddr &&
            note->p_vaddr - segment->p_vaddr <= segment->p_filesz &&
            note->p_filesz <= segment->p_filesz - (note->p_vaddr - segment->p_vaddr))
            return true;
    }
    return false;
}

// There is room at `found` for found_bytes(path_bytes).
static void describe(const struct dl_phdr_info *info, size_t path_bytes, struct found *found) {
    *found = (struct found){.start = UINT64_MAX, .bias = info->dlpi_addr, .path_bytes = (uint32_t)path_bytes};
    memcpy(found->path, info->dlpi_name, path_bytes);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && start < found->start) found->start = start;
        if (segment->p_type == PT_LOAD && start + segment->p_memsz > found->end) found->end = start + segment->p_memsz;
        if (segment->p_type == PT_NOTE && is_mapped(info, segment) && found->build_id_bytes == 0)
            read_build_id(found, (const char *)start, segment->p_filesz);
    }
}

static int collect(struct dl_phdr_info *info, size_t size, void *user) {
    struct listing *listing = user;
    size_t path_bytes = strnlen(info->dlpi_name, PATH_MAX);
    (void)size;
    listing->added = info->dlpi_adds;
    listing->removed = info->dlpi_subs;
    if (listing->bytes - listing->used < found_bytes(path_bytes)) {
        listing->overflow = true;
        return 1;
    }
    struct found *found = (struct found *)(listing->scratch + listing->used);
    describe(info, path_bytes, found);
    if (found->start < found->end) listing->used += found_bytes(path_bytes);
    return 0;
}

static int read_counters(struct dl_phdr_info *info, size_t size, void *user) {
    struct listing *listing = user;
    (void)size;
    listing->added = info->dlpi_adds;
    listing->removed = info->dlpi_subs;
    return 1;
}

// The caller unmaps listing->scratch when 0.
static int list_modules(struct listing *listing) {
    for (size_t bytes = FIRST_SCRATCH_BYTES; bytes <= SCRATCH_BYTES_MAX; bytes *= 4) {
        *listing = (struct listing){.scratch = mt_pages_map(bytes), .bytes = bytes};
        if (listing->scratch == NULL) return -ENOMEM;
        dl_iterate_phdr(collect, listing);
        if (!listing->overflow) return 0;
        mt_pages_unmap(listing->scratch, bytes);
    }
    return -ENOMEM;
}

// The loader's names: empty for the main executable, bare for the vDSO, as they were asked for where relative.
static size_t full_path(const struct found *found, bool first, char out[2 * PATH_MAX]) {
    uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    size_t length = 0;
    if (vdso != 0 && vdso >= found->start && vdso < found->end) {
        strcpy(out, "[vdso]");
        return strlen(out);
    }
    if (found->path_bytes == 0) {
        ssize_t bytes = first ? readlink("/proc/self/exe", out, PATH_MAX) : 0;
        return bytes < 0 ? 0 : (size_t)bytes;
    }
    if (found->path[0] != '/' && memchr(found->path, '/', found->path_bytes) != NULL && getcwd(out, PATH_MAX) != NULL) {
        length = strlen(out);
        out[length++] = '/';
    }
    memcpy(out + length, found->path, found->path_bytes);
    return length + found->path_bytes;
}

static uint64_t identity(const struct found *found) {
    return mt_checksum(found->build_id, found->build_id_bytes, mt_checksum(found->path, found->path_bytes, 0));
}

static struct mt_module *find_known(struct mt_trace *trace, const struct found *found) {
    for (size_t i = 0; i < trace->module_count; i++) {
        struct mt_module *module = &trace->modules[i];
        if (module->start == found->start && module->end == found->end && module->bias == found->bias &&
            module->identity == identity(found))
            return module;
    }
    return NULL;
}

static bool make_module_room(struct mt_trace *trace) {
    if (trace->module_count < trace->module_room) return true;
    size_t room = trace->module_room == 0 ? 256 : 2 * trace->module_room;
    struct mt_module *modules = mt_pages_map(room * sizeof *modules);
    if (modules == NULL) return false;
    if (trace->modules != NULL) {
        memcpy(modules, trace->modules, trace->module_count * sizeof *modules);
        mt_pages_unmap(trace->modules, trace->module_room * sizeof *modules);
    }
    trace->modules = modules;
    trace->module_room = room;
    return true;
}

static bool define_module(struct mt_trace *trace, const struct found *found, bool first) {
    char path[2 * PATH_MAX];
    uint8_t fields[5 * MT_VARINT_BYTES];
    uint32_t text = mt_define_text(trace, path, full_path(found, first, path));
    if (text == 0 || !make_module_room(trace)) return false;
    if (!mt_definitions_room(trace, MT_DEFINITION_OVERHEAD + sizeof fields + BUILD_ID_MAX)) return false;
    uint8_t *end = mt_put_varint(fields, trace->module_ids + 1);
    end = mt_put_varint(end, found->start);
    end = mt_put_varint(end, found->end);
    end = mt_put_varint(end, found->bias);
    end = mt_put_varint(end, text);
    mt_definitions_append(trace, MT_RECORD_MODULE, fields, (size_t)(end - fields), found->build_id,
                          found->build_id_bytes);

    size_t at = trace->module_count++;
    for (; at > 0 && trace->modules[at - 1].start > found->start; at--) trace->modules[at] = trace->modules[at - 1];
    trace->modules[at] = (struct mt_module){.start = found->start,
                                            .end = found->end,
                                            .bias = found->bias,
                                            .identity = identity(found),
                                            .id = ++trace->module_ids,
                                            .seen = true};
    return true;
}

// Drops what the listing does not hold any more. False when the file could not be told.
static bool drop_vanished(struct mt_trace *trace) {
    size_t kept = 0;
    bool told = true;
    for (size_t i = 0; i < trace->module_count; i++) {
        struct mt_module module = trace->modules[i];
        uint8_t fields[MT_VARINT_BYTES];
        if (!module.seen && told) {
            told = mt_definitions_room(trace, MT_DEFINITION_OVERHEAD + sizeof fields);
            if (told) {
                size_t bytes = (size_t)(mt_put_varint(fields, module.id) - fields);
                mt_definitions_append(trace, MT_RECORD_MODULE_GONE, fields, bytes, NULL, 0);
                atomic_fetch_add_explicit(&trace->epoch, 1, memory_order_release);
                continue;
            }
        }
        trace->modules[kept++] = module;
    }
    trace->module_count = kept;
    return told;
}

static bool is_current(const struct mt_trace *trace, const struct listing *listing) {
    return trace->modules_known && listing->added == trace->modules_added && listing->removed == trace->modules_removed;
}

// Under `lock`.
static void apply(struct mt_trace *trace, const struct listing *listing) {
    if (trace->modules_known && (listing->added < trace->modules_added || listing->removed < trace->modules_removed))
        return;
    for (size_t i = 0; i < trace->module_count; i++) trace->modules[i].seen = false;
    for (size_t at = 0; at < listing->used;) {
        const struct found *found = (const struct found *)(listing->scratch + at);
        struct mt_module *module = find_known(trace, found);
        if (module != NULL) module->seen = true;
        at += found_bytes(found->path_bytes);
    }
    bool complete = drop_vanished(trace);
    for (size_t at = 0; complete && at < listing->used;) {
        const struct found *found = (const struct found *)(listing->scratch + at);
        if (find_known(trace, found) == NULL) complete = define_module(trace, found, at == 0);
        at += found_bytes(found->path_bytes);
    }
    // What could not be stored is tried again: the counters stay behind.
    trace->modules_retry_ns = complete ? 0 : mt_now_ns() + RETRY_NS;
    if (!complete) return;
    trace->modules_added = listing->added;
    trace->modules_removed = listing->removed;
    trace->modules_known = true;
}

static bool update(struct mt_trace *trace) {
    struct listing listing = {0};
    dl_iterate_phdr(read_counters, &listing);
    mt_lock_take(&trace->lock);
    bool same = is_current(trace, &listing);
    bool waits = trace->modules_retry_ns != 0 && mt_now_ns() < trace->modules_retry_ns;
    mt_lock_drop(&trace->lock);
    if (same || waits) return same;

    if (list_modules(&listing) != 0) return false;
    mt_lock_take(&trace->lock);
    apply(trace, &listing);
    bool complete = trace->modules_retry_ns == 0;
    mt_lock_drop(&trace->lock);
    mt_pages_unmap(listing.scratch, listing.bytes);
    return complete;
}

// The C library's struct dl_find_object on x86-64 and aarch64. The function is absent before 2.35.
struct loader_answer {
    unsigned long long flags;
    void *start, *end;
    struct link_map *map;
    void *table;
    unsigned long long reserved[7];
};
extern int find_object(void *address, struct loader_answer *answer) __asm__("_dl_find_object") __attribute__((weak));

// What dl_iterate_phdr would say of the module that holds the address, whose code this thread is in: so it stays while
// we read it. False where there is none.
static bool ask_loader(uint64_t address, struct dl_phdr_info *info) {
    struct loader_answer answer;
    if (find_object((void *)(uintptr_t)address, &answer) != 0) return false;
    const ElfW(Ehdr) *header = answer.start;
    size_t bytes = (size_t)((char *)answer.end - (char *)answer.start);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff > bytes || header->e_phnum > (bytes - header->e_phoff) / sizeof(ElfW(Phdr)))
        return false;
    *info = (struct dl_phdr_info){
        .dlpi_addr = answer.map->l_addr,
        .dlpi_name = answer.map->l_name,
        .dlpi_phdr = (const ElfW(Phdr) *)((const char *)answer.start + header->e_phoff),
        .dlpi_phnum = header->e_phnum,
    };
    return true;
}

// Under `lock`. Modules that lie where this one does have gone, unnoticed.
static bool add_module(struct mt_trace *trace, const struct found *found) {
    if (find_known(trace, found) != NULL) return true;
    for (size_t i = 0; i < trace->module_count; i++) {
        struct mt_module *module = &trace->modules[i];
        module->seen = module->end <= found->start || found->end <= module->start;
    }
    return drop_vanished(trace) && define_module(trace, found, found->path_bytes == 0);
}

bool mt_modules_learn(struct mt_trace *trace, uint64_t address) {
    struct dl_phdr_info info;
    _Alignas(struct found) char room[sizeof(struct found) + PATH_MAX + 8];
    struct found *found = (struct found *)room;
    mt_lock_take(&trace->lock);
    bool first = trace->module_ids == 0; // readers take the first for the executable
    mt_lock_drop(&trace->lock);
    if (first || find_object == NULL) return update(trace);
    if (!ask_loader(address, &info)) return true;
    describe(&info, strnlen(info.dlpi_name, PATH_MAX), found);
    if (found->start >= found->end) return true;
    mt_lock_take(&trace->lock);
    bool complete = add_module(trace, found);
    mt_lock_drop(&trace->lock);
    return complete;
}

void mt_modules_refresh(struct mt_trace *trace) {
    struct mt_guard guard;
    if (mt_trace_life(trace) != MT_LIFE_OPEN) return;
    mt_guard_enter(&guard);
    update(trace);
    mt_guard_leave(&guard);
}

uint32_t mt_module_of(const struct mt_trace *trace, uint64_t address) {
    size_t low = 0, high = trace->module_count; // the last module that starts at or before the address is below high
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->modules[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= trace->modules[low - 1].end) return 0;
    return trace->modules[low - 1].id;
}
