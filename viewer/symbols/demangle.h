/*
 * Names of functions as a person writes them. A trace and the files that it names hold any text: time, memory and the
 * result are bounded whatever the name is, and the result is printable. Called by symbols.c and by views of kernels.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_DEMANGLE_H
#define MEMTRACE_VIEWER_SYMBOLS_DEMANGLE_H

// A mangled name as a person writes it, without parameters; other names as they are. A long one is cut, with "…" at its
// end. The caller frees it.
char *mt_demangle(const char *name);

#endif
