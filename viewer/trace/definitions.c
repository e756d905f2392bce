/*
 * Definitions of a trace in arrays by number; see definitions.h. Numbers come from a file that may be damaged: one that
 * is larger than what the file can have defined is ignored, so that no array outgrows its trace.
 */
#include "viewer/trace/definitions.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/facts.h"
#include "viewer/base/hash.h"
#include "viewer/base/intern.h"
#include "viewer/base/memory.h"
#include "viewer/base/printable.h"
#include "viewer/trace/cross_thread.h"

struct thread_name {
    uint32_t thread;
    const char *name;
    UT_hash_handle hh;
};

#define TABLE(type)                                                                                                    \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t capacity;                                                                                               \
        uint32_t limit;                                                                                                \
    }

struct text {
    const char *printable; // NULL: a number that the trace skips
    const char *raw;
};

struct mt_definitions {
    struct mt_intern_pool *pool;
    uint32_t highest_id; // larger numbers cannot be true
    TABLE(struct text) strings;
    TABLE(struct mt_module) modules;
    TABLE(uint32_t) module_of_id; // index + 1 of the module that a number means now
    TABLE(struct mt_node) nodes;
    TABLE(struct mt_code) codes;
    TABLE(struct mt_api) apis;
    TABLE(const char *) kernels;
    TABLE(struct mt_launch) launches;
    TABLE(uint32_t) contexts; // device + 1
    TABLE(struct mt_device) devices;
    TABLE(struct mt_fact) facts;
    struct thread_name *threads;
    struct mt_cross_thread *joined; // made while the trace is replayed
    bool torch_python;              // PyTorch is there with its Python library, in which its threads begin
    size_t last_module;             // index of the module found last: neighbours repeat
    uint64_t cut_stacks;            // frames whose callers are missing
};

// Deeper stacks than any tracer records make every analysis slow: they end there.
#define MT_DEEPEST_STACK 1024u

enum {
    DEFINITION_BYTES = 12,
    ID_ROOM = 4096, // for numbers that start higher
};

// The slot of number `id`, growing the table to it; NULL for a number that cannot be true. Evaluates `id` more than
// once, after the table has grown too.
#define slot(definitions, table, id)                                                                                   \
    ((id) > (definitions)->highest_id                                                                                  \
         ? NULL                                                                                                        \
         : (mt_grow(&(definitions)->table.items, &(definitions)->table.capacity, (size_t)(id) + 1),                    \
            (definitions)->table.limit = (id) >= (definitions)->table.limit ? (id) + 1 : (definitions)->table.limit,   \
            &(definitions)->table.items[id]))
#define look_up(definitions, table, id) ((id) < (definitions)->table.limit ? &(definitions)->table.items[id] : NULL)

static const char *text_of(const struct mt_definitions *definitions, uint32_t id) {
    const char *text = mt_definitions_string(definitions, id);
    return text ? text : "";
}

static const char *raw_of(const struct mt_definitions *definitions, uint32_t id) {
    const char *text = mt_definitions_raw_string(definitions, id);
    return text ? text : "";
}

static bool is_module(const struct mt_module *module, const char *beginning) {
    const char *slash = strrchr(module->path, '/');
    return strncmp(slash ? slash + 1 : module->path, beginning, strlen(beginning)) == 0;
}

static void add_module(struct mt_definitions *definitions, const struct mt_definition *definition) {
    uint32_t *index = slot(definitions, module_of_id, definition->id);
    uint32_t next = (uint32_t)definitions->modules.limit;
    struct mt_module *module = slot(definitions, modules, next);
    if (!index || !module) return;
    *index = next + 1; // 0 means none
    *module = (struct mt_module){
        .start = definition->start,
        .end = definition->end,
        .bias = definition->bias,
        .path = raw_of(definitions, definition->name),
        .build_id = definition->data_bytes ? definition->data : NULL,
        .build_id_bytes = definition->data_bytes,
    };
    if (is_module(module, "libtorch_python.")) definitions->torch_python = true;
}

static void end_module(struct mt_definitions *definitions, uint32_t id) {
    uint32_t *index = look_up(definitions, module_of_id, id);
    if (index && *index) definitions->modules.items[*index - 1].gone = true;
}

// The module that holds an address now, as index + 1: later modules may take the place of one that is gone.
static uint32_t module_at(struct mt_definitions *definitions, uint64_t address) {
    const struct mt_module *modules = definitions->modules.items;
    size_t last = definitions->last_module;
    if (last < definitions->modules.limit && !modules[last].gone && address >= modules[last].start &&
        address < modules[last].end)
        return (uint32_t)last + 1;
    for (size_t i = definitions->modules.limit; i-- > 0;) {
        if (modules[i].gone || address < modules[i].start || address >= modules[i].end) continue;
        definitions->last_module = i;
        return (uint32_t)i + 1;
    }
    return 0;
}

static void add_node(struct mt_definitions *definitions, const struct mt_definition *definition) {
    bool python = definition->type == MT_RECORD_PYTHON_FRAME;
    struct mt_node *node = slot(definitions, nodes, definition->id);
    if (!node) return;
    // A caller is always written before what it calls; anything else is damage and would be a cycle. One that the trace
    // lacks ends the stack: whoever walks it finds every caller defined.
    const struct mt_node *parent =
        definition->parent < definition->id ? mt_definitions_node(definitions, definition->parent) : NULL;
    uint32_t depth = parent ? parent->depth + 1 : 1;
    if (depth > MT_DEEPEST_STACK) parent = NULL;
    uint32_t caller = parent ? definition->parent : 0;
    if (definition->parent && !parent) definitions->cut_stacks++;
    *node = (struct mt_node){
        .parent = caller,
        .where = python ? definition->code : module_at(definitions, definition->address),
        .line = definition->line,
        .python = python,
        .defined = true,
        .depth = parent ? depth : 1,
        .address = definition->address,
    };
    node->in_python = python || (parent && parent->in_python);
    node->root = parent ? parent->root : 0;
    node->in_torch = parent && parent->in_torch;
    if (node->in_python || node->root || !node->where) return;
    // Where Python is, only its library tells a thread of backward() from those that NCCL, say, runs in torch's code.
    const struct mt_module *module = &definitions->modules.items[node->where - 1];
    if (!is_module(module, "libc.") && !is_module(module, "libpthread.") && !is_module(module, "libstdc++."))
        node->root = node->where;
    node->in_torch = is_module(module, definitions->torch_python ? "libtorch_python." : "libtorch");
}

static void add_device(struct mt_definitions *definitions, const struct mt_definition *definition) {
    struct mt_device *device = slot(definitions, devices, definition->id);
    if (!device) return;
    device->name = text_of(definitions, definition->name);
    device->total_bytes = definition->total_bytes;
    if (definition->data_bytes == sizeof(device->uuid)) memcpy(device->uuid, definition->data, sizeof(device->uuid));
}

static void add_fact(struct mt_definitions *definitions, const struct mt_definition *definition) {
    uint32_t next = (uint32_t)definitions->facts.limit;
    struct mt_fact *fact = slot(definitions, facts, next);
    if (!fact) return;
    fact->key = text_of(definitions, definition->name);
    bool is_path = strcmp(fact->key, MT_FACT_EXECUTABLE) == 0;
    fact->value = is_path ? raw_of(definitions, definition->value) : text_of(definitions, definition->value);
}

static void add_thread_name(struct mt_definitions *definitions, const struct mt_definition *definition) {
    struct thread_name *thread;
    HASH_FIND(hh, definitions->threads, &definition->id, sizeof(definition->id), thread);
    if (!thread) {
        thread = mt_allocate(sizeof(*thread));
        thread->thread = definition->id;
        HASH_ADD(hh, definitions->threads, thread, sizeof(thread->thread), thread);
    }
    thread->name = text_of(definitions, definition->name);
}

static void add_string(struct mt_definitions *definitions, const struct mt_definition *definition) {
    struct text *string = slot(definitions, strings, definition->id);
    if (!string) return;
    string->raw = mt_intern_bytes(definitions->pool, (const char *)definition->data, definition->data_bytes);
    char *printable = mt_printable((const char *)definition->data, definition->data_bytes);
    string->printable = mt_intern(definitions->pool, printable);
    free(printable);
}

static void add_code(struct mt_definitions *definitions, const struct mt_definition *definition) {
    struct mt_code *code = slot(definitions, codes, definition->id);
    if (!code) return;
    code->function = text_of(definitions, definition->name);
    code->file = raw_of(definitions, definition->value);
    code->first_line = definition->line;
}

static void add_api(struct mt_definitions *definitions, const struct mt_definition *definition) {
    struct mt_api *api = slot(definitions, apis, definition->id);
    if (!api) return;
    api->name = text_of(definitions, definition->name);
    api->effect = (enum mt_effect)definition->effect;
    api->memory = (enum mt_memory)definition->memory;
}

static void add_launch(struct mt_definitions *definitions, const struct mt_definition *definition) {
    struct mt_launch *launch = slot(definitions, launches, definition->id);
    if (!launch) return;
    launch->kernel = definition->kernel;
    memcpy(launch->grid, definition->grid, sizeof(launch->grid));
    memcpy(launch->block, definition->block, sizeof(launch->block));
    launch->shared_bytes = definition->shared_bytes;
}

static void add_kernel(struct mt_definitions *definitions, const struct mt_definition *definition) {
    const char **kernel = slot(definitions, kernels, definition->id);
    if (kernel) *kernel = raw_of(definitions, definition->name);
}

static void add_context(struct mt_definitions *definitions, const struct mt_definition *definition) {
    uint32_t *context = slot(definitions, contexts, definition->id);
    if (context && definition->device < UINT32_MAX) *context = definition->device + 1;
}

static int add_definition(void *user, const struct mt_definition *definition) {
    struct mt_definitions *definitions = user;
    switch (definition->type) {
    case MT_RECORD_STRING:
        add_string(definitions, definition);
        break;
    case MT_RECORD_MODULE:
        add_module(definitions, definition);
        break;
    case MT_RECORD_MODULE_GONE:
        end_module(definitions, definition->id);
        break;
    case MT_RECORD_NATIVE_FRAME:
    case MT_RECORD_PYTHON_FRAME:
        add_node(definitions, definition);
        break;
    case MT_RECORD_CODE:
        add_code(definitions, definition);
        break;
    case MT_RECORD_API:
        add_api(definitions, definition);
        break;
    case MT_RECORD_KERNEL:
        add_kernel(definitions, definition);
        break;
    case MT_RECORD_LAUNCH_SHAPE:
        add_launch(definitions, definition);
        break;
    case MT_RECORD_CONTEXT:
        add_context(definitions, definition);
        break;
    case MT_RECORD_DEVICE:
        add_device(definitions, definition);
        break;
    case MT_RECORD_FACT:
        add_fact(definitions, definition);
        break;
    case MT_RECORD_THREAD_NAME:
        add_thread_name(definitions, definition);
        break;
    default:
        break;
    }
    return 0;
}

static int count_definition(void *user, const struct mt_definition *definition) {
    uint64_t *count = user;
    (void)definition;
    ++*count;
    return 0;
}

// Numbers count up from 1, so none is above the number of definitions, with those that are lost: by the writer, or with
// damaged chunks, where one takes a dozen bytes. Both are what the file says, and no more than what it holds is
// believed.
static uint32_t highest_id(struct mt_reader *reader) {
    uint64_t count = 0, lost = mt_reader_header(reader)->lost_definitions;
    mt_reader_definitions(reader, count_definition, &count);
    uint64_t damaged = mt_reader_damage(reader).bytes / DEFINITION_BYTES;
    uint64_t highest = count + (lost < count ? lost : count) + damaged + ID_ROOM;
    return highest < UINT32_MAX / 2 ? (uint32_t)highest : UINT32_MAX / 2;
}

struct mt_definitions *mt_definitions_load(struct mt_reader *reader) {
    struct mt_definitions *definitions = mt_allocate(sizeof(*definitions));
    definitions->highest_id = highest_id(reader);
    definitions->pool = mt_intern_new();
    definitions->joined = mt_cross_thread_new();
    mt_reader_definitions(reader, add_definition, definitions);
    return definitions;
}

void mt_definitions_free(struct mt_definitions *definitions) {
    if (!definitions) return;
    mt_hash_free(definitions->threads);
    free(definitions->strings.items);
    free(definitions->modules.items);
    free(definitions->module_of_id.items);
    free(definitions->nodes.items);
    free(definitions->codes.items);
    free(definitions->apis.items);
    free(definitions->kernels.items);
    free(definitions->launches.items);
    free(definitions->contexts.items);
    free(definitions->devices.items);
    free(definitions->facts.items);
    mt_intern_free(definitions->pool);
    mt_cross_thread_free(definitions->joined);
    free(definitions);
}

const struct mt_module *mt_definitions_modules(const struct mt_definitions *definitions, size_t *count) {
    *count = definitions->modules.limit;
    return definitions->modules.items;
}

const struct mt_node *mt_definitions_node(const struct mt_definitions *definitions, uint32_t id) {
    if (mt_definitions_is_cross_thread(definitions, id))
        return mt_cross_thread_node(definitions->joined, id - definitions->nodes.limit);
    const struct mt_node *node = look_up(definitions, nodes, id);
    return node && node->defined ? node : NULL;
}

uint32_t mt_definitions_node_limit(const struct mt_definitions *definitions) {
    return definitions->nodes.limit + mt_cross_thread_count(definitions->joined);
}

uint64_t mt_definitions_cut_stacks(const struct mt_definitions *definitions) {
    return definitions->cut_stacks;
}

bool mt_definitions_is_engine(const struct mt_definitions *definitions, uint32_t stack) {
    const struct mt_node *node = mt_definitions_node(definitions, stack);
    return node && node->in_torch && !node->in_python && !mt_definitions_is_cross_thread(definitions, stack);
}

bool mt_definitions_may_serve(const struct mt_definitions *definitions, uint32_t stack, uint32_t caller) {
    const struct mt_node *node = mt_definitions_node(definitions, stack);
    if (!node || !node->root || node->in_python || mt_definitions_is_cross_thread(definitions, stack)) return false;
    uint32_t library = node->root;
    for (uint32_t id = caller; (node = mt_definitions_node(definitions, id)); id = node->parent)
        if (!node->python && node->where == library) return true;
    return false;
}

uint32_t mt_definitions_join(const struct mt_definitions *definitions, uint32_t stack, uint32_t caller) {
    const struct mt_node *node = mt_definitions_node(definitions, caller);
    if (!node || mt_definitions_is_cross_thread(definitions, caller)) return stack; // damage must not make a circle
    return mt_cross_thread_make(definitions->joined, definitions, definitions->nodes.limit, stack, caller);
}

bool mt_definitions_is_cross_thread(const struct mt_definitions *definitions, uint32_t stack) {
    uint32_t limit = definitions->nodes.limit;
    return stack >= limit && stack - limit < mt_cross_thread_count(definitions->joined);
}

const struct mt_code *mt_definitions_code(const struct mt_definitions *definitions, uint32_t id) {
    const struct mt_code *code = look_up(definitions, codes, id);
    return code && code->file ? code : NULL;
}

uint32_t mt_definitions_code_limit(const struct mt_definitions *definitions) {
    return definitions->codes.limit;
}

const struct mt_api *mt_definitions_api(const struct mt_definitions *definitions, uint32_t id) {
    const struct mt_api *api = look_up(definitions, apis, id);
    return api && api->name ? api : NULL;
}

uint32_t mt_definitions_api_limit(const struct mt_definitions *definitions) {
    return (uint32_t)definitions->apis.limit;
}

const struct mt_launch *mt_definitions_launch(const struct mt_definitions *definitions, uint32_t id) {
    const struct mt_launch *launch = look_up(definitions, launches, id);
    return launch && launch->kernel ? launch : NULL;
}

const struct mt_device *mt_definitions_device(const struct mt_definitions *definitions, uint32_t ordinal) {
    const struct mt_device *device = look_up(definitions, devices, ordinal);
    return device && device->name ? device : NULL;
}

uint32_t mt_definitions_device_limit(const struct mt_definitions *definitions) {
    return definitions->devices.limit;
}

const char *mt_definitions_kernel(const struct mt_definitions *definitions, uint32_t id) {
    const char *const *kernel = look_up(definitions, kernels, id);
    return kernel ? *kernel : NULL;
}

const char *mt_definitions_string(const struct mt_definitions *definitions, uint32_t id) {
    const struct text *string = look_up(definitions, strings, id);
    return string ? string->printable : NULL;
}

const char *mt_definitions_raw_string(const struct mt_definitions *definitions, uint32_t id) {
    const struct text *string = look_up(definitions, strings, id);
    return string ? string->raw : NULL;
}

const char *mt_definitions_thread_name(const struct mt_definitions *definitions, uint32_t thread) {
    struct thread_name *found;
    HASH_FIND(hh, definitions->threads, &thread, sizeof(thread), found);
    return found ? found->name : NULL;
}

const char *mt_definitions_fact(const struct mt_definitions *definitions, const char *key) {
    for (size_t i = definitions->facts.limit; i-- > 0;)
        if (strcmp(definitions->facts.items[i].key, key) == 0) return definitions->facts.items[i].value;
    return NULL;
}

const struct mt_fact *mt_definitions_facts(const struct mt_definitions *definitions, size_t *count) {
    *count = definitions->facts.limit;
    return definitions->facts.items;
}

int64_t mt_definitions_context_device(const struct mt_definitions *definitions, uint32_t context) {
    const uint32_t *device = look_up(definitions, contexts, context);
    return device ? (int64_t)*device - 1 : -1;
}

bool mt_definitions_has_memory(const struct mt_definitions *definitions, enum mt_memory memory) {
    for (uint32_t id = 0; id < definitions->apis.limit; id++)
        if (definitions->apis.items[id].name && definitions->apis.items[id].memory == memory) return true;
    return false;
}
