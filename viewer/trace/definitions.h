/*
 * What a trace defines once and its events refer to by number: modules, call-stack nodes, APIs, contexts, devices,
 * facts. Loaded whole before the first event; bounded by the number of distinct stacks, not by the trace's length.
 * Texts are printable (printable.h) but for paths, by which files are opened, and mangled names.
 * Every look-up takes any number and answers NULL for one that the trace does not define, since traces can be damaged.
 */
#ifndef MEMTRACE_VIEWER_TRACE_DEFINITIONS_H
#define MEMTRACE_VIEWER_TRACE_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/reader.h"

struct mt_module {
    uint64_t start, end;
    uint64_t bias; // ELF address + bias = run-time address
    const char *path;
    const uint8_t *build_id; // NULL: none known
    size_t build_id_bytes;
    bool gone; // unmapped at the end of the definitions read so far
};

// One frame of a call stack; the stack goes on with `parent`, the caller.
struct mt_node {
    uint32_t parent; // 0: outermost. Always defined, and smaller than the node's own number
    uint32_t where;  // native: index of its module + 1, 0 if in none. Python: code id
    uint32_t line;   // Python
    bool python;     // a Python frame
    bool defined;    // false: a number that the trace skips
    bool in_python;  // it or one of its callers is a Python frame
    uint32_t root;  // of it and its callers, the outermost that is more than the C library's beginning of a thread: its
                    // module, as in where; 0: none is, or a Python frame comes first
    bool in_torch;  // that is PyTorch's own code
    uint32_t depth; // frames, itself included
    uint64_t address; // native: the return address
};

struct mt_code {
    const char *function, *file; // NULL file: a number that the trace skips
    uint32_t first_line;
};

struct mt_api {
    const char *name; // NULL: a number that the trace skips
    enum mt_effect effect;
    enum mt_memory memory;
};

struct mt_launch {
    uint32_t kernel;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
};

struct mt_device {
    const char *name; // NULL: a number that the trace skips
    uint64_t total_bytes;
    uint8_t uuid[16];
};

struct mt_fact {
    const char *key, *value;
};

struct mt_definitions;

// Reads all definitions of a trace. The reader must outlive them.
struct mt_definitions *mt_definitions_load(struct mt_reader *reader);
void mt_definitions_free(struct mt_definitions *definitions);

const struct mt_module *mt_definitions_modules(const struct mt_definitions *definitions, size_t *count);
const struct mt_node *mt_definitions_node(const struct mt_definitions *definitions, uint32_t id);
// Every node's number is below it; grows with cross-thread stacks.
uint32_t mt_definitions_node_limit(const struct mt_definitions *definitions);

// Frames whose callers the trace lacks: their stacks end there.
uint64_t mt_definitions_cut_stacks(const struct mt_definitions *definitions);

// Whether a stack is that of a thread which PyTorch runs backward() on: its code all the way, and no Python.
bool mt_definitions_is_engine(const struct mt_definitions *definitions, uint32_t stack);
// Whether a stack is that of a thread which a library runs, in its own code and with no Python, and `caller` is one
// that leads into the same library.
bool mt_definitions_may_serve(const struct mt_definitions *definitions, uint32_t stack, uint32_t caller);
// The stack as if `caller`, a stack of another thread, had called it (cross_thread.h); and whether it is such a one.
// Numbers of joined stacks are valid wherever a stack's are.
uint32_t mt_definitions_join(const struct mt_definitions *definitions, uint32_t stack, uint32_t caller);
bool mt_definitions_is_cross_thread(const struct mt_definitions *definitions, uint32_t stack);

const struct mt_code *mt_definitions_code(const struct mt_definitions *definitions, uint32_t id);
uint32_t mt_definitions_code_limit(const struct mt_definitions *definitions); // every code's number is below it
const struct mt_api *mt_definitions_api(const struct mt_definitions *definitions, uint32_t id);
uint32_t mt_definitions_api_limit(const struct mt_definitions *definitions); // every API's number is below it
const struct mt_launch *mt_definitions_launch(const struct mt_definitions *definitions, uint32_t id);
const struct mt_device *mt_definitions_device(const struct mt_definitions *definitions, uint32_t ordinal);
uint32_t mt_definitions_device_limit(const struct mt_definitions *definitions);
const char *mt_definitions_kernel(const struct mt_definitions *definitions, uint32_t id); // mangled, as it was
const char *mt_definitions_string(const struct mt_definitions *definitions, uint32_t id);
const char *mt_definitions_raw_string(const struct mt_definitions *definitions, uint32_t id); // as it was
const char *mt_definitions_thread_name(const struct mt_definitions *definitions, uint32_t thread);
const char *mt_definitions_fact(const struct mt_definitions *definitions, const char *key); // the last one written
const struct mt_fact *mt_definitions_facts(const struct mt_definitions *definitions, size_t *count);

// The device a context belongs to, or -1.
int64_t mt_definitions_context_device(const struct mt_definitions *definitions, uint32_t context);

// Whether the trace defines an API that deals in this kind of memory.
bool mt_definitions_has_memory(const struct mt_definitions *definitions, enum mt_memory memory);

#endif
