/*
 * Variables that bear the driver's names. Loaders in the manner of CUEW define global function pointers called cuInit,
 * cuMemAlloc, … Preloaded, our functions of these names come first in the search order, so the loader gives a library
 * the address of our code where it wants that of its own variable, and what the library stores goes into our text.
 */
#ifndef MEMTRACE_PRELOAD_HOOKS_DATA_SYMBOLS_H
#define MEMTRACE_PRELOAD_HOOKS_DATA_SYMBOLS_H

// Gives back to variables what was bound to our functions, in all objects that were loaded since the last time. Takes
// the loader's lock: for our constructor and where the program has just called the loader. Thread-safe.
void mt_data_symbols_mend(void);

#endif
