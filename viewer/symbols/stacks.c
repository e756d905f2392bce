/*
 * Call stacks → user lines; see stacks.h.
 */
#include "viewer/symbols/stacks.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/facts.h"
#include "viewer/base/hash.h"
#include "viewer/base/intern.h"
#include "viewer/base/memory.h"
#include "viewer/frameworks/autograd.h"
#include "viewer/symbols/modules.h"
#include "viewer/symbols/places.h"

// How strongly a frame is the program's own; the strongest kind in a stack wins.
enum ownership { NOT_OWN, OWN_TYPED, OWN_LIBRARY, OWN_PROGRAM, OWN_PYTHON, OWN_PATTERN };

struct path_entry {
    struct {
        const struct mt_place *place;
        uint64_t parent;
    } key;
    uint32_t number;
    UT_hash_handle hh;
};

struct module_entry {
    const char *path; // interned by the symbols
    enum mt_code_kind kind;
    UT_hash_handle hh;
};

struct frame {
    const struct mt_place *place;
    const struct mt_node *bare; // set where the place holds no more than the module
};

struct mt_stacks {
    const struct mt_definitions *definitions;
    struct mt_symbols *symbols;
    const struct mt_ends *endings;
    const char *user_code;
    const char *executable;
    struct mt_intern_pool *pool;
    struct mt_site **sites; // by stack; NULL: not worked out yet
    size_t site_capacity;
    struct module_entry *modules;
    struct path_entry *path_entries;
    struct mt_path *paths;
    size_t path_capacity;
    uint32_t path_count;
    // The stack being worked on, innermost first.
    struct frame *frames;
    size_t frame_capacity, frame_count;
};

static bool is_own(void *user, const struct mt_place *place);

struct mt_stacks *mt_stacks_new(const struct mt_definitions *definitions, struct mt_symbols *symbols,
                                const struct mt_ends *endings, const char *user_code) {
    struct mt_stacks *stacks = mt_allocate(sizeof(*stacks));
    stacks->definitions = definitions;
    stacks->symbols = symbols;
    stacks->endings = endings;
    stacks->user_code = user_code;
    stacks->executable = mt_modules_executable(definitions);
    stacks->pool = mt_intern_new();
    mt_grow(&stacks->paths, &stacks->path_capacity, 1);
    stacks->path_count = 1;
    mt_symbols_show_python(symbols, is_own, stacks);
    return stacks;
}

void mt_stacks_free(struct mt_stacks *stacks) {
    if (!stacks) return;
    mt_hash_free(stacks->path_entries);
    mt_hash_free(stacks->modules);
    mt_intern_free(stacks->pool);
    for (size_t i = 0; i < stacks->site_capacity; i++) free(stacks->sites[i]);
    free(stacks->sites);
    free(stacks->paths);
    free(stacks->frames);
    free(stacks);
}

static enum mt_code_kind kind_of(struct mt_stacks *stacks, const struct mt_place *place) {
    if (!place->module) return MT_CODE_SYSTEM;
    struct module_entry *entry;
    HASH_FIND_PTR(stacks->modules, &place->module, entry);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry));
        entry->path = place->module;
        entry->kind = mt_module_kind(place->module, stacks->executable);
        HASH_ADD_PTR(stacks->modules, path, entry);
    }
    return entry->kind;
}

// Functions of a statically linked runtime: in the program's file, but without debugging information.
static bool is_static_runtime(const struct mt_place *place) {
    const char *name = place->function;
    if (!name || place->file) return false;
    return (strncmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4])) || strncmp(name, "cudart::", 8) == 0 ||
           strncmp(name, "__cuda", 6) == 0 || strncmp(name, "libcudart_static_", 17) == 0;
}

static bool is_runtime(struct mt_stacks *stacks, const struct mt_place *place) {
    if (place->python) return false;
    return kind_of(stacks, place) == MT_CODE_RUNTIME || is_static_runtime(place);
}

static bool is_plumbing(struct mt_stacks *stacks, const struct mt_place *place) {
    if (place->python) return false;
    enum mt_code_kind kind = kind_of(stacks, place);
    return kind <= MT_CODE_SYSTEM || is_runtime(stacks, place);
}

static bool matches_user_code(const struct mt_stacks *stacks, const struct mt_place *place) {
    const char *names[] = {place->file, place->module};
    for (size_t i = 0; i < 2; i++) {
        if (!names[i]) continue;
        if (fnmatch(stacks->user_code, names[i], 0) == 0) return true;
        if (fnmatch(stacks->user_code, mt_base_name(names[i]), 0) == 0) return true;
    }
    return false;
}

static enum ownership ownership_of(struct mt_stacks *stacks, const struct mt_place *place) {
    if (!place->python && kind_of(stacks, place) == MT_CODE_TRACER) return NOT_OWN;
    if (stacks->user_code && matches_user_code(stacks, place)) return OWN_PATTERN;
    if (!place->file) return NOT_OWN;
    if (place->python && mt_is_typed_python(place->file)) return OWN_TYPED;
    if (place->python) return mt_is_library_python(place->file) ? NOT_OWN : OWN_PYTHON;
    if (!place->line || mt_is_system_source(place->file)) return NOT_OWN;
    switch (kind_of(stacks, place)) {
    case MT_CODE_PROGRAM:
        return OWN_PROGRAM;
    case MT_CODE_LOCAL:
        return OWN_LIBRARY;
    default:
        return NOT_OWN;
    }
}

static bool is_own(void *user, const struct mt_place *place) {
    return ownership_of(user, place) != NOT_OWN;
}

// Above nvcc's stub stands the host's side of a kernel: its line is the kernel's, and who launched it is further out.
static bool is_kernel(const struct mt_stacks *stacks, size_t frame) {
    const char *below = frame ? stacks->frames[frame - 1].place->function : NULL;
    return below && strncmp(below, "__device_stub__", strlen("__device_stub__")) == 0;
}

static enum ownership ownership_of_frame(struct mt_stacks *stacks, size_t frame) {
    return is_kernel(stacks, frame) ? NOT_OWN : ownership_of(stacks, stacks->frames[frame].place);
}

// Reading a library's debugging information can take longer than all the rest, and of most libraries nothing is needed
// but their name.
static bool is_enough_by_name(struct mt_stacks *stacks, const struct mt_place *place) {
    if (place->python || !place->module || stacks->user_code) return false;
    enum mt_code_kind kind = kind_of(stacks, place);
    return kind != MT_CODE_RUNTIME && kind <= MT_CODE_LIBRARY;
}

// Fills stacks->frames; a stack can be as deep as its node's number at most, since callers have smaller ones.
static void collect_frames(struct mt_stacks *stacks, uint32_t stack) {
    stacks->frame_count = 0;
    for (uint32_t id = stack; id;) {
        const struct mt_node *node = mt_definitions_node(stacks->definitions, id);
        if (!node) break;
        const struct mt_place *bare = mt_symbols_bare(stacks->symbols, node);
        bool enough = is_enough_by_name(stacks, bare);
        struct mt_places places = enough ? (struct mt_places){&bare, 1} : mt_symbols_node(stacks->symbols, node);
        mt_grow(&stacks->frames, &stacks->frame_capacity, stacks->frame_count + places.count);
        for (size_t i = 0; i < places.count; i++)
            stacks->frames[stacks->frame_count++] = (struct frame){places.items[i], enough ? node : NULL};
        id = node->parent;
    }
}

// The frame as a person should see it.
static const struct mt_place *resolved(struct mt_stacks *stacks, const struct frame *frame) {
    return frame->bare ? mt_symbols_node(stacks->symbols, frame->bare).items[0] : frame->place;
}

static uint32_t path_child(struct mt_stacks *stacks, uint32_t parent, const struct mt_place *place) {
    struct path_entry *entry, wanted = {0};
    wanted.key.place = place;
    wanted.key.parent = parent;
    HASH_FIND(hh, stacks->path_entries, &wanted.key, sizeof(wanted.key), entry);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry));
        entry->key = wanted.key;
        entry->number = stacks->path_count++;
        mt_grow(&stacks->paths, &stacks->path_capacity, stacks->path_count);
        stacks->paths[entry->number] =
            (struct mt_path){.parent = parent, .depth = stacks->paths[parent].depth + 1, .place = place};
        HASH_ADD(hh, stacks->path_entries, key, sizeof(entry->key), entry);
        mt_symbols_show(stacks->symbols, place);
    }
    return entry->number;
}

// "cuMemAllocAsync_ptsz" → "cuMemAllocAsync", "cuMemAlloc_v2" → "cuMemAlloc"; other names as they are.
static const char *plain_api(struct mt_stacks *stacks, const char *name) {
    size_t length = strlen(name);
    static const char *const suffixes[] = {"_ptsz", "_ptds"};
    for (size_t i = 0; i < 2; i++)
        if (length > 5 && strcmp(name + length - 5, suffixes[i]) == 0) length -= 5;
    size_t digits = length;
    while (digits && isdigit((unsigned char)name[digits - 1])) digits--;
    if (digits < length && digits > 2 && strncmp(name + digits - 2, "_v", 2) == 0) length = digits - 2;
    return mt_intern_bytes(stacks->pool, name, length);
}

// The runtime's function that the program called: the outermost of the runtime's frames just above the driver's.
static const char *runtime_api(struct mt_stacks *stacks) {
    const char *name = NULL;
    for (size_t i = 0; i < stacks->frame_count; i++) {
        const struct mt_place *place = stacks->frames[i].place;
        if (place->python) break;
        enum mt_code_kind kind = kind_of(stacks, place);
        if (!name && (kind == MT_CODE_TRACER || kind == MT_CODE_DRIVER)) continue;
        if (!is_runtime(stacks, place)) break;
        if (place->function && strncmp(place->function, "cuda", 4) == 0 && isupper((unsigned char)place->function[4]))
            name = place->function;
    }
    return name ? plain_api(stacks, name) : NULL;
}

static const struct mt_place *innermost_origin(struct mt_stacks *stacks) {
    for (size_t i = 0; i < stacks->frame_count; i++)
        if (!is_plumbing(stacks, stacks->frames[i].place)) return resolved(stacks, &stacks->frames[i]);
    // Nothing but plumbing: its outermost part is closest to the program.
    if (stacks->frame_count == 0) return mt_symbols_unknown(stacks->symbols);
    return resolved(stacks, &stacks->frames[stacks->frame_count - 1]);
}

// The innermost autograd node of the stack. PyTorch's libraries are big: only called for stacks that have one.
static const char *autograd_node(struct mt_stacks *stacks) {
    char node[MT_AUTOGRAD_NODE_BYTES];
    for (size_t i = 0; i < stacks->frame_count; i++) {
        const struct frame *frame = &stacks->frames[i];
        const char *module = frame->place->module;
        if (!module || strncmp(mt_base_name(module), "libtorch", 8) != 0) continue;
        struct mt_places places = {&frame->place, 1};
        if (frame->bare) places = mt_symbols_node(stacks->symbols, frame->bare);
        for (size_t k = 0; k < places.count; k++)
            if (places.items[k]->function && mt_autograd_node(places.items[k]->function, node))
                return mt_intern(stacks->pool, node);
    }
    return NULL;
}

static bool is_interpreter(const struct mt_place *place) {
    if (!place->module) return false;
    const char *name = mt_base_name(place->module);
    return strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0;
}

// The interpreter with none of its lines: it ends, and frees what is left. NULL: it is something else.
static const struct mt_place *interpreter(struct mt_stacks *stacks, uint32_t stack) {
    size_t outermost = stacks->frame_count;
    while (outermost && kind_of(stacks, stacks->frames[outermost - 1].place) == MT_CODE_SYSTEM) outermost--;
    // Only where its lines are in the trace does it mean something that there are none.
    if (!outermost || !is_interpreter(stacks->frames[outermost - 1].place)) return NULL;
    if (!mt_definitions_fact(stacks->definitions, MT_FACT_PYTHON)) return NULL;
    bool ends =
        mt_ends_is_last(stacks->endings, stack) && !mt_definitions_fact(stacks->definitions, MT_FACT_PYTHON_DECLINED);
    for (size_t i = 0; i < outermost && !ends; i++) {
        if (!is_interpreter(stacks->frames[i].place)) continue;
        const char *function = resolved(stacks, &stacks->frames[i])->function;
        ends = function && strncmp(function, "Py_Finalize", 11) == 0;
    }
    return mt_symbols_named(stacks->symbols, ends ? "Python at its exit" : "Python outside all lines");
}

// What to show for a line where no frame is the program's own.
static const struct mt_place *line_outside(struct mt_stacks *stacks, uint32_t stack, const struct mt_site *site) {
    if (site->node) return mt_symbols_named(stacks->symbols, site->node);
    for (size_t i = 0; i < stacks->frame_count; i++)
        if (stacks->frames[i].place->python) return stacks->frames[i].place;
    const struct mt_place *python = interpreter(stacks, stack);
    return python ? python : site->origin;
}

// What a library ran for a line on its own thread; a node of backward() without a name is autograd's all the same.
static const struct mt_place *within_call(struct mt_stacks *stacks, uint32_t stack, const struct mt_site *site) {
    const struct mt_node *node = mt_definitions_node(stacks->definitions, stack);
    const char *who = node->in_torch || node->in_python ? "autograd" : "XLA";
    return mt_symbols_within(stacks->symbols, site->user, site->node ? site->node : who);
}

// Whether the line is one that the library's thread itself ran, a hook's say.
static bool is_of_thread(struct mt_stacks *stacks, uint32_t stack, const struct mt_place *place) {
    while (mt_definitions_is_cross_thread(stacks->definitions, stack)) {
        const struct mt_node *node = mt_definitions_node(stacks->definitions, stack);
        if (node->python && mt_symbols_bare(stacks->symbols, node) == place) return true;
        stack = node->parent;
    }
    return false;
}

static void work_out(struct mt_stacks *stacks, uint32_t stack, struct mt_site *site) {
    collect_frames(stacks, stack);
    enum ownership strongest = NOT_OWN;
    for (size_t i = 0; i < stacks->frame_count; i++) {
        enum ownership own = ownership_of_frame(stacks, i);
        if (own > strongest) strongest = own;
    }
    site->runtime_api = runtime_api(stacks);
    site->origin = innermost_origin(stacks);
    bool joined = mt_definitions_is_cross_thread(stacks->definitions, stack);
    if (joined || mt_definitions_is_engine(stacks->definitions, stack)) site->node = autograd_node(stacks);
    if (strongest == NOT_OWN) {
        site->user = line_outside(stacks, stack, site);
        site->path = path_child(stacks, 0, site->user);
        return;
    }
    for (size_t i = stacks->frame_count; i-- > 0;) {
        if (ownership_of_frame(stacks, i) != strongest) continue;
        site->path = path_child(stacks, site->path, stacks->frames[i].place);
        site->user = stacks->frames[i].place;
    }
    if (joined && !is_of_thread(stacks, stack, site->user)) site->user = within_call(stacks, stack, site);
}

const struct mt_site *mt_stacks_site(struct mt_stacks *stacks, uint32_t stack) {
    if (stack >= mt_definitions_node_limit(stacks->definitions)) stack = 0;
    mt_grow(&stacks->sites, &stacks->site_capacity, (size_t)stack + 1);
    if (!stacks->sites[stack]) {
        stacks->sites[stack] = mt_allocate(sizeof(*stacks->sites[stack]));
        work_out(stacks, stack, stacks->sites[stack]);
    }
    return stacks->sites[stack];
}

struct mt_path mt_stacks_path(const struct mt_stacks *stacks, uint32_t path) {
    return stacks->paths[path < stacks->path_count ? path : 0];
}

bool mt_stacks_has_user_code(const struct mt_stacks *stacks) {
    for (uint32_t id = 1; id < mt_definitions_node_limit(stacks->definitions); id++) {
        const struct mt_node *node = mt_definitions_node(stacks->definitions, id);
        if (!node) continue;
        struct mt_places places = mt_symbols_node(stacks->symbols, node);
        for (size_t i = 0; i < places.count; i++)
            if (matches_user_code(stacks, places.items[i])) return true;
    }
    return false;
}

uint32_t mt_stacks_path_limit(const struct mt_stacks *stacks) {
    return stacks->path_count;
}

const char *mt_stacks_api(struct mt_stacks *stacks, uint32_t stack, uint32_t api) {
    const struct mt_api *definition = mt_definitions_api(stacks->definitions, api);
    if (!definition || definition->memory != MT_MEMORY_TENSOR) {
        const struct mt_site *site = mt_stacks_site(stacks, stack);
        if (site->runtime_api) return site->runtime_api;
    }
    return definition ? plain_api(stacks, definition->name) : "unknown";
}
