/*
 * The dlsym behind ours, whoever interposes it (we do, in hooks/interpose_dlsym.c). Programs' lookups go on to the next
 * one; lookups of our own go to the C library's, since another interposer may answer with functions of its own – or,
 * where our names come first in the search order, with ours.
 */
#ifndef MEMTRACE_PRELOAD_REAL_DLSYM_H
#define MEMTRACE_PRELOAD_REAL_DLSYM_H

typedef void *mt_dlsym_fn(void *handle, const char *name);

// The next dlsym behind ours once it is known, for hooks/interpose_dlsym.c, which jumps there.
extern _Atomic(mt_dlsym_fn *) mt_dlsym_next;

// The C library's once it is known; a test may put its own there.
extern _Atomic(mt_dlsym_fn *) mt_dlsym_libc;

// The next dlsym behind ours: the C library's, or another interposer's. Thread-safe; NULL only where there is none.
mt_dlsym_fn *mt_next_dlsym(void);

// The C library's dlsym(handle, name); never with RTLD_NEXT or RTLD_DEFAULT, which depend on who calls.
void *mt_real_dlsym(void *handle, const char *name);

// The C library's dlsym(RTLD_NEXT, name), asked by this library, and what comes first in the program's scope. Both
// leave no trace in dlerror().
void *mt_next_symbol(const char *name);
void *mt_first_symbol(const char *name);

#endif
