/*
 * Finding torch's own definition of a function that we stand in front of. RTLD_NEXT would miss it: Python loads torch
 * RTLD_LOCAL.
 */
#ifndef MEMTRACE_PRELOAD_TORCH_SYMBOLS_H
#define MEMTRACE_PRELOAD_TORCH_SYMBOLS_H

// The first definition of `symbol` in a loaded library that is not ours; NULL if there is none. A repackaged torch may
// have given its libraries other names, so they are not asked for. Takes the loader's lock. Clears dlerror().
void *mt_torch_symbol(const char *symbol);

#endif
