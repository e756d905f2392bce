/*
 * Where a module's file is: reports are often made on another machine than the traced one, or after an update. A file
 * counts only if it is the very build that was traced. A trace may come from anyone, and names any path: what it names
 * is opened where the user said to look, or where the trace says that the same user made it on the same host; and only
 * regular files are. Called by symbols.c and by the view of sources.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_SYMFS_H
#define MEMTRACE_VIEWER_SYMBOLS_SYMFS_H

#include <stdbool.h>

#include "viewer/symbols/debuginfo.h"
#include "viewer/trace/definitions.h"

// Whether the trace says that this user made it on this host.
bool mt_made_here(const struct mt_definitions *definitions);

// Opens a file for reading, if it is a regular one; a descriptor, or -1.
int mt_open_regular(const char *path);

// The same of a path below a folder, wherever its links and dots lead within it.
int mt_open_below(const char *folder, const char *path);

// Opens a module's file: below the folder (NULL: none is given), at the path it had when it was traced or by its name
// alone; else, if `here`, at that path here. NULL, with a sentence in *note that the caller frees, if there is none.
struct mt_debuginfo *mt_symfs_open(const char *folder, bool here, const struct mt_module *module, char **note);

#endif
