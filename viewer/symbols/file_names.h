/*
 * Names of source files as reports write them: the last component of their path, and as many folders before it as it
 * takes to tell them from other files of that name among those that are shown. Owned by the symbols, who give every
 * place in a file its name; stacks.c says which files are shown.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_FILE_NAMES_H
#define MEMTRACE_VIEWER_SYMBOLS_FILE_NAMES_H

// One file, however its path was spelled.
struct mt_file_name {
    const char *text; // "train.cu"; "pa/utils.py" once pb/utils.py is shown too
};

struct mt_file_names;

struct mt_file_names *mt_file_names_new(void);
void mt_file_names_free(struct mt_file_names *names);

// The name of a file; `folder` is where a relative path starts, or NULL. Valid as long as the names.
const struct mt_file_name *mt_file_name(struct mt_file_names *names, const char *folder, const char *path);

// From now on the file is among those shown.
void mt_file_name_show(struct mt_file_names *names, const struct mt_file_name *name);

#endif
