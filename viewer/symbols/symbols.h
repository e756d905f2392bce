/*
 * Call-stack frames as places in source: what a frame's number means to a person. Each distinct address is looked up
 * once; equal places are one pointer. A module that is gone, was rebuilt or has no debugging information yields what is
 * left: a symbol, or module+offset. Called by stacks.c and by views that print whole stacks.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_SYMBOLS_H
#define MEMTRACE_VIEWER_SYMBOLS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/symbols/file_names.h"
#include "viewer/trace/definitions.h"

// Every text is interned: compare pointers.
struct mt_place {
    const char *module;                   // path; NULL: in no module, or Python
    const char *file;                     // path as the compiler or Python gives it; NULL: unknown
    const char *folder;                   // where a relative path starts; NULL: unknown
    const struct mt_file_name *file_name; // as it is to be shown; NULL without a file
    const char *function;                 // demangled, without parameters; NULL: unknown
    uint32_t line;                        // 0: unknown
    uint32_t python;                      // 1: a Python frame
    const char *within; // what ran there, where it tells more than the line: an autograd node; else NULL
    uint64_t offset;    // where function and file are unknown: ELF address, or the address itself without a module
};

struct mt_places {
    const struct mt_place *const *items; // innermost inlined call first
    size_t count;                        // at least 1
};

struct mt_symbols;

// symfs: a folder in which to look for the modules' files first, or NULL. The definitions must outlive it.
struct mt_symbols *mt_symbols_new(const struct mt_definitions *definitions, const char *symfs);
void mt_symbols_free(struct mt_symbols *symbols);

struct mt_places mt_symbols_node(struct mt_symbols *symbols, const struct mt_node *node);

// What is known of a frame without opening any file: module and offset, or the whole of a Python frame.
const struct mt_place *mt_symbols_bare(struct mt_symbols *symbols, const struct mt_node *node);

// The place of what cannot be found: no stack was taken, or the trace lost it.
const struct mt_place *mt_symbols_unknown(struct mt_symbols *symbols);

// The same place, with what ran there.
const struct mt_place *mt_symbols_within(struct mt_symbols *symbols, const struct mt_place *place, const char *within);

// A place that is no code but a name: an NVTX range.
const struct mt_place *mt_symbols_named(struct mt_symbols *symbols, const char *name);

// This place is going to be shown: names of other files must differ from its file's.
void mt_symbols_show(struct mt_symbols *symbols, const struct mt_place *place);

// The same of all code of a Python file that `is_own` holds for.
void mt_symbols_show_python(struct mt_symbols *symbols, bool (*is_own)(void *user, const struct mt_place *place),
                            void *user);

// Modules that could not be used, one sentence each ("train was rebuilt since it was traced: …"); NULL at the end.
const char *mt_symbols_note(const struct mt_symbols *symbols, size_t number);

// The last component of a path.
const char *mt_base_name(const char *path);

#endif
