/*
 * The CPython in this process, if there is one that we can read: its entry points, its layout, and where its
 * interpreter loop lies. Found through the loader, in a shared libpython or in the executable. Used by python/frames.c.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_PROBE_H
#define MEMTRACE_PRELOAD_PYTHON_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/python/layout.h"

// Pieces that the loop may consist of: hot and cold part, or one function an instruction where it is built on tail
// calls.
#define MT_PYTHON_LOOP_PIECES 512

struct mt_python_range {
    uintptr_t start;
    uintptr_t end;
};

struct mt_python {
    char version[16]; // "3.12.1"
    struct mt_python_layout layout;
    void *(*thread_state)(void); // PyGILState_GetThisThreadState: needs no GIL
    int (*is_initialized)(void); // Py_IsInitialized: false from the beginning of finalization
    void *(*interpreter_head)(void);
    void *(*interpreter_main)(void);
    void *code_type; // &PyCode_Type

    struct mt_python_range loop[MT_PYTHON_LOOP_PIECES]; // _PyEval_EvalFrameDefault: sorted, disjoint
    size_t loop_count;
    // The interpreter's own text, whose frames say nothing once the Python frames are there. Empty where the
    // interpreter is linked into a program that is not Python.
    struct mt_python_range text;
};

enum mt_python_presence { MT_PYTHON_ABSENT, MT_PYTHON_READABLE, MT_PYTHON_DECLINED };

// Looks for the interpreter (takes the loader's lock). READABLE: *out is complete. DECLINED: out->version is set if it
// is known, and *why says why its frames are not read.
enum mt_python_presence mt_python_probe(struct mt_python *out, const char **why);

// What a return address belongs to: other code, the interpreter's own text, its loop.
enum mt_python_part { MT_PYTHON_OUTSIDE, MT_PYTHON_TEXT, MT_PYTHON_LOOP };
enum mt_python_part mt_python_part(const struct mt_python *python, uintptr_t return_address);

#endif
