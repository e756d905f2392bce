/*
 * Frames → places, cached by address; see symbols.h.
 */
#include "viewer/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/facts.h"
#include "viewer/base/hash.h"
#include "viewer/base/intern.h"
#include "viewer/base/memory.h"
#include "viewer/symbols/debuginfo.h"
#include "viewer/symbols/demangle.h"
#include "viewer/symbols/symfs.h"

#define INLINE_DEPTH 64

// What one frame resolves to. The key of a Python frame is its code object and line.
struct resolved {
    struct {
        uint64_t address;
        uint64_t where; // module index + 1, or 1 << 32 | line of a Python frame
    } key;
    size_t count;
    const struct mt_place **places;
    UT_hash_handle hh;
};

struct place_entry {
    struct mt_place place;
    UT_hash_handle hh;
};

struct module_info {
    bool tried;
    struct mt_debuginfo *debuginfo;
};

struct mt_symbols {
    const struct mt_definitions *definitions;
    const char *symfs; // or NULL
    bool here;         // the trace was made by this user on this host
    struct mt_intern_pool *pool;
    struct mt_file_names *file_names;
    struct module_info *modules;
    struct resolved *resolved;
    struct place_entry *places;
    const struct mt_place *unknown;
    char **notes;
    size_t note_count, note_capacity;
};

const char *mt_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct mt_place *intern_place(struct mt_symbols *symbols, const struct mt_place *place) {
    struct place_entry *entry;
    HASH_FIND(hh, symbols->places, place, sizeof(*place), entry);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry));
        entry->place = *place;
        HASH_ADD(hh, symbols->places, place, sizeof(entry->place), entry);
    }
    return &entry->place;
}

static const char *intern_or_null(struct mt_symbols *symbols, const char *text) {
    return text && *text ? mt_intern(symbols->pool, text) : NULL;
}

static const char *intern_function(struct mt_symbols *symbols, const char *mangled) {
    if (!mangled || !*mangled) return NULL;
    char *plain = mt_demangle(mangled);
    const char *name = mt_intern(symbols->pool, plain);
    free(plain);
    return name;
}

struct mt_symbols *mt_symbols_new(const struct mt_definitions *definitions, const char *symfs) {
    struct mt_symbols *symbols = mt_allocate(sizeof(*symbols));
    size_t module_count;
    mt_definitions_modules(definitions, &module_count);
    symbols->definitions = definitions;
    symbols->symfs = symfs;
    symbols->here = mt_made_here(definitions);
    if (symfs) mt_debuginfo_search(symfs);
    symbols->pool = mt_intern_new();
    symbols->file_names = mt_file_names_new();
    symbols->modules = mt_allocate(module_count * sizeof(*symbols->modules));
    struct mt_place unknown = {0};
    symbols->unknown = intern_place(symbols, &unknown);
    return symbols;
}

void mt_symbols_free(struct mt_symbols *symbols) {
    if (!symbols) return;
    struct resolved *resolved, *next_resolved;
    HASH_ITER(hh, symbols->resolved, resolved, next_resolved) {
        HASH_DEL(symbols->resolved, resolved);
        free(resolved->places);
        free(resolved);
    }
    mt_hash_free(symbols->places);
    size_t module_count;
    mt_definitions_modules(symbols->definitions, &module_count);
    for (size_t i = 0; i < module_count; i++) mt_debuginfo_close(symbols->modules[i].debuginfo);
    for (size_t i = 0; i < symbols->note_count; i++) free(symbols->notes[i]);
    free(symbols->notes);
    free(symbols->modules);
    mt_file_names_free(symbols->file_names);
    mt_intern_free(symbols->pool);
    free(symbols);
}

const struct mt_place *mt_symbols_unknown(struct mt_symbols *symbols) {
    return symbols->unknown;
}

const struct mt_place *mt_symbols_within(struct mt_symbols *symbols, const struct mt_place *place, const char *within) {
    struct mt_place found = *place;
    found.within = mt_intern(symbols->pool, within);
    return intern_place(symbols, &found);
}

const struct mt_place *mt_symbols_named(struct mt_symbols *symbols, const char *name) {
    struct mt_place place = {.function = mt_intern(symbols->pool, name)};
    return intern_place(symbols, &place);
}

const char *mt_symbols_note(const struct mt_symbols *symbols, size_t number) {
    return number < symbols->note_count ? symbols->notes[number] : NULL;
}

// Takes the note over. Libraries may be loaded more than once.
static void add_note(struct mt_symbols *symbols, char *note) {
    for (size_t i = 0; i < symbols->note_count; i++) {
        if (strcmp(symbols->notes[i], note) != 0) continue;
        free(note);
        return;
    }
    mt_grow(&symbols->notes, &symbols->note_capacity, symbols->note_count + 1);
    symbols->notes[symbols->note_count++] = note;
}

static struct mt_debuginfo *debuginfo_of(struct mt_symbols *symbols, uint32_t index) {
    struct module_info *info = &symbols->modules[index];
    if (info->tried) return info->debuginfo;
    info->tried = true;
    size_t count;
    const struct mt_module *module = &mt_definitions_modules(symbols->definitions, &count)[index];
    if (module->path[0] != '/') return NULL; // [vdso] and the like
    char *note;
    info->debuginfo = mt_symfs_open(symbols->symfs, symbols->here, module, &note);
    if (note) add_note(symbols, note);
    return info->debuginfo;
}

// Python's relative paths start where the program did.
static struct mt_place python_place(struct mt_symbols *symbols, uint32_t id, uint32_t line) {
    const struct mt_code *code = mt_definitions_code(symbols->definitions, id);
    struct mt_place place = {.python = 1};
    if (!code) return place;
    const char *directory = mt_definitions_fact(symbols->definitions, MT_FACT_DIRECTORY);
    place.file = intern_or_null(symbols, code->file);
    place.function = intern_or_null(symbols, code->function);
    place.line = line;
    if (place.file) place.file_name = mt_file_name(symbols->file_names, directory, place.file);
    return place;
}

void mt_symbols_show(struct mt_symbols *symbols, const struct mt_place *place) {
    if (place->file_name) mt_file_name_show(symbols->file_names, place->file_name);
}

void mt_symbols_show_python(struct mt_symbols *symbols, bool (*is_own)(void *user, const struct mt_place *place),
                            void *user) {
    for (uint32_t id = 0; id < mt_definitions_code_limit(symbols->definitions); id++) {
        struct mt_place place = python_place(symbols, id, 0);
        if (place.file && is_own(user, &place)) mt_symbols_show(symbols, &place);
    }
}

static struct mt_place bare_place(struct mt_symbols *symbols, const struct mt_node *node) {
    if (node->python) return python_place(symbols, node->where, node->line);
    struct mt_place place = {.offset = node->address};
    if (node->where) {
        size_t count;
        const struct mt_module *module = &mt_definitions_modules(symbols->definitions, &count)[node->where - 1];
        place.module = mt_intern(symbols->pool, module->path);
        place.offset = node->address - module->bias;
    }
    return place;
}

const struct mt_place *mt_symbols_bare(struct mt_symbols *symbols, const struct mt_node *node) {
    struct mt_place place = bare_place(symbols, node);
    return intern_place(symbols, &place);
}

static void resolve(struct mt_symbols *symbols, const struct mt_node *node, struct resolved *resolved) {
    struct mt_place bare = bare_place(symbols, node);
    struct mt_debuginfo_frame frames[INLINE_DEPTH];
    struct mt_debuginfo *debuginfo = !node->python && node->where ? debuginfo_of(symbols, node->where - 1) : NULL;
    // A return address is behind the call; the call is what has happened.
    size_t count = debuginfo ? mt_debuginfo_find(debuginfo, bare.offset - 1, frames, INLINE_DEPTH) : 0;
    resolved->count = count ? count : 1;
    resolved->places = mt_allocate(resolved->count * sizeof(*resolved->places));
    if (count == 0) resolved->places[0] = intern_place(symbols, &bare);
    for (size_t i = 0; i < count; i++) {
        struct mt_place found = {
            .module = bare.module,
            .file = intern_or_null(symbols, frames[i].file),
            .function = intern_function(symbols, frames[i].function),
            .line = frames[i].line,
        };
        if (found.file && found.file[0] != '/') found.folder = intern_or_null(symbols, frames[i].directory);
        if (found.file) found.file_name = mt_file_name(symbols->file_names, found.folder, found.file);
        resolved->places[i] = intern_place(symbols, &found);
    }
}

struct mt_places mt_symbols_node(struct mt_symbols *symbols, const struct mt_node *node) {
    struct resolved *resolved, wanted = {0};
    wanted.key.address = node->python ? node->line : node->address;
    wanted.key.where = node->python ? 1ull << 32 | node->where : node->where;
    HASH_FIND(hh, symbols->resolved, &wanted.key, sizeof(wanted.key), resolved);
    if (!resolved) {
        resolved = mt_allocate(sizeof(*resolved));
        resolved->key = wanted.key;
        resolve(symbols, node, resolved);
        HASH_ADD(hh, symbols->resolved, key, sizeof(resolved->key), resolved);
    }
    return (struct mt_places){resolved->places, resolved->count};
}
