/*
 * Lookups by name that the program makes: dlsym and cuGetProcAddress. They give it our hooks where the list has the
 * function, and everything else untouched.
 */
#ifndef MEMTRACE_PRELOAD_HOOKS_LOOKUP_H
#define MEMTRACE_PRELOAD_HOOKS_LOOKUP_H

// An answer to dlsym. Not `decided`: let the real one answer, with its caller's identity.
struct mt_dlsym_answer {
    void *symbol;
    long decided;
};

// Called by the dlsym that we export (interpose_dlsym.c), for names that start with "cu"; `caller` is where that
// returns to.
struct mt_dlsym_answer mt_dlsym_hook(void *handle, const char *name, const void *caller);

// Looks up what the hooks of cuInit and cuGetProcAddress call. Takes the loader's lock, as mt_hook_look does.
void mt_lookup_look(void);

// Our exported function of that name; NULL for names that are not hooked.
void *mt_lookup_exported(const char *name);

// The hooked names of the driver, by number from 0; NULL behind the last.
const char *mt_lookup_name(unsigned number);

#endif
