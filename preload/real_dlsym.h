/*
 * The C library's dlsym, whoever interposes it (we do, in hooks/interpose_dlsym.c). All of preload/ looks symbols up by
 * this.
 */
#ifndef MEMTRACE_PRELOAD_REAL_DLSYM_H
#define MEMTRACE_PRELOAD_REAL_DLSYM_H

typedef void *mt_dlsym_fn(void *handle, const char *name);

// The next dlsym behind ours once it is known, for hooks/interpose_dlsym.c, which jumps there.
extern _Atomic(mt_dlsym_fn *) mt_dlsym_next;

// The next dlsym behind ours: the C library's, or another interposer's. Thread-safe; NULL only where there is none.
mt_dlsym_fn *mt_next_dlsym(void);

// mt_next_dlsym()(handle, name); never with RTLD_NEXT or RTLD_DEFAULT, which depend on who calls.
void *mt_real_dlsym(void *handle, const char *name);

#endif
