/*
 * What kind of code a module holds, by its path: ours, the driver's, a library's, the program's. Decides which frame of
 * a call stack a person would point at. Called by stacks.c.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_MODULES_H
#define MEMTRACE_VIEWER_SYMBOLS_MODULES_H

#include <stdbool.h>

#include "viewer/trace/definitions.h"

enum mt_code_kind {
    MT_CODE_TRACER,  // libmemtrace: never shown
    MT_CODE_DRIVER,  // libcuda, libcupti
    MT_CODE_RUNTIME, // a shared libcudart
    MT_CODE_SYSTEM,  // libc, the loader, the C++ runtime
    MT_CODE_LIBRARY, // installed libraries, and a Python interpreter
    MT_CODE_LOCAL,   // a shared library that may be the user's own
    MT_CODE_PROGRAM, // the main executable
};

enum mt_code_kind mt_module_kind(const char *path, const char *executable);

// The path of the main executable, or "" when the trace does not tell.
const char *mt_modules_executable(const struct mt_definitions *definitions);

// A source file that came with the system, the compiler or the CUDA toolkit, or that a compiler wrote.
bool mt_is_system_source(const char *file);

// No file but what was typed in or given to python -c, or made up by exec(): the user's own if nothing else is.
bool mt_is_typed_python(const char *file);

// A Python file that came with Python or was installed, or that is no file.
bool mt_is_library_python(const char *file);

#endif
