/*
 * The dynamic linker's lock, and when the tracer may take it.
 *
 * A library's initialisers run under that lock, and may wait for locks of the program's: a pool's mutex, Python's GIL.
 * Who holds one of those may be in a call that we record. So no event takes the loader's lock: all that the tracer
 * knows of loaded libraries is looked up when the session starts (inside cuInit, which loads libraries itself) and,
 * when libraries have come or gone since, where the program calls the loader: before its next dlsym, after its dlclose.
 * There the program takes the lock anyway, so no new order of locks comes about. dlopen is not interposed: it goes by
 * who calls it ($ORIGIN, RUNPATH, the namespace), and could not be followed by work of ours. What a new library brings
 * is seldom called before something in it is looked up; its initialisers' stacks need none of what is looked up here
 * (tracer/modules.c).
 */
#ifndef MEMTRACE_PRELOAD_LOADER_H
#define MEMTRACE_PRELOAD_LOADER_H

#include <stdbool.h>

// Looks everything up that depends on what is loaded, and goes on doing so. When the session starts.
void mt_loader_start(void);

// Whether to call mt_loader_called: false in a process without a session. Read by hooks/interpose_dlsym.c.
extern bool mt_loader_watching __attribute__((visibility("hidden")));

// The program calls the loader, or has just done so without an error: looks again if libraries have come or gone.
// Clears dlerror(), keeps errno.
void mt_loader_called(void) __attribute__((visibility("hidden")));

#endif
