/*
 * Finding torch's own definition of a function that we stand in front of. RTLD_NEXT would miss it: Python loads torch
 * RTLD_LOCAL.
 */
#ifndef MEMTRACE_PRELOAD_TORCH_SYMBOLS_H
#define MEMTRACE_PRELOAD_TORCH_SYMBOLS_H

#include <stdatomic.h>

// The definition of `symbol` in the loaded library `soname`, else in any other loaded library that is not ours; NULL if
// there is none. Remembered in *cache. Takes the loader's lock the first time.
void *mt_torch_symbol(_Atomic(void *) *cache, const char *soname, const char *symbol);

#endif
