/*
 * Objects that are bound to the driver past the hooks: a plug-in that is loaded with RTLD_DEEPBIND looks into its own
 * dependencies first.
 */
#ifndef MEMTRACE_PRELOAD_HOOKS_BYPASS_H
#define MEMTRACE_PRELOAD_HOOKS_BYPASS_H

#include <stdbool.h>
#include <stddef.h>

// The name of an object whose calls of a listed function go to the driver itself, if there is one that is loaded now; a
// reference that is resolved at its first call counts after that. Takes the loader's lock.
bool mt_bypass_find(char *name, size_t name_bytes);

#endif
