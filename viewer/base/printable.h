/*
 * Text that a program chose – names of ranges, threads, files, functions – as a terminal and a line-by-line tool can
 * take it: one line, in UTF-8, without control characters, and how wide it is. Called where text enters the viewer, and
 * where names of files are written, which must stay as they are to be opened.
 */
#ifndef MEMTRACE_VIEWER_BASE_PRINTABLE_H
#define MEMTRACE_VIEWER_BASE_PRINTABLE_H

#include <stddef.h>

// Control characters and bytes that are no UTF-8 become "\n", "\t", "\x1b", "\u202e"; all else stays. Printable text
// stays as it is. The caller frees it.
char *mt_printable(const char *text, size_t bytes);

// The same within double quotes, with a backslash before quotes and backslashes of the text itself.
char *mt_quoted(const char *text, size_t bytes);

// Columns of a terminal that printable text takes.
size_t mt_columns(const char *text);

// At most so many columns of it, with "…" at the end where it has more. The caller frees it.
char *mt_shortened(const char *text, size_t most);

// As many columns as a range's name may take where it stands for a line.
#define MT_NAME_COLUMNS 120

#endif
