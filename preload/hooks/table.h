/*
 * What the symbol hooks know of each entry point: the driver's own function, and one that somebody else put in front of
 * it. Filled at the program's own lookups, when the session starts, and when libraries have come since; usable before
 * there is a session, from any thread.
 *
 * Every entry point has two hooks. The *inner* one calls the driver's own function. The *outer* one stands for a
 * function that is not the driver's own, another interposer's, and calls that, which in the end comes back through an
 * inner one or doesn't. Which of them writes the event is settled per call (hooks/call.h).
 */
#ifndef MEMTRACE_PRELOAD_HOOKS_TABLE_H
#define MEMTRACE_PRELOAD_HOOKS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum mt_hook_layer { MT_HOOK_INNER, MT_HOOK_OUTER, MT_HOOK_LAYERS };

// The hooks of each row of the entry table (hooks/feed.c).
extern void *const mt_hooks[][MT_HOOK_LAYERS];

// True if programs' lookups come to us: false when the driver loaded us by CUDA_INJECTION64_PATH alone.
bool mt_hooks_in_place(void);

// Looks up the driver's own functions, if it is loaded, and other interposers' in front of them. Takes the loader's
// lock: for where the program has called the loader, or cuInit. Clears dlerror().
void mt_hook_look(void);

// The same, unless it was done.
void mt_hook_prepare(void);

// What a hook of that row and layer is to call; NULL when there is no CUDA driver in the process.
void *mt_hook_real(unsigned row, enum mt_hook_layer layer);

// The row with this name, -1 for none.
int mt_hook_row(const char *name);

// The newest CUDA version whose functions hooks/table.c knows by their unversioned names.
#define MT_HOOK_VERSION_KNOWN 13000

// The row that cuGetProcAddress means by an unversioned name, a CUDA version (12040) and its flags; -1 for none.
int mt_hook_row_of_version(const char *name, int version, uint64_t flags);

// True if `function` is the driver's own of that row.
bool mt_hook_is_own(unsigned row, const void *function);

// The row whose own function in the driver `function` is, -1 for none.
int mt_hook_row_of_function(const void *function);

// What the program is to get instead of `function`, which a lookup for `row` gave: the inner hook for the driver's own,
// the outer one for the first other function seen for this row, `function` itself for any further one.
void *mt_hook_replacement(unsigned row, void *function);

#endif
