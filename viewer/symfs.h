/*
 * Where a module's file is: reports are often made on another machine than the traced one, or after an update. A file
 * counts only if it is the very build that was traced. Called by symbols.c.
 */
#ifndef MEMTRACE_VIEWER_SYMFS_H
#define MEMTRACE_VIEWER_SYMFS_H

#include "viewer/debuginfo.h"
#include "viewer/definitions.h"

// Opens a module's file: below the folder (NULL: none is given), at the path it had when it was traced or by its name
// alone; else at that path here. NULL, with a sentence in *note that the caller frees, if there is no such file.
struct mt_debuginfo *mt_symfs_open(const char *folder, const struct mt_module *module, char **note);

#endif
