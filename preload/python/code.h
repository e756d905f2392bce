/*
 * What a code object says: its name, its file, and the line an instruction belongs to. Reads memory only; takes no
 * reference, no GIL, no lock, and allocates nothing. Used by python/frames.c; the decoders are tested on their own.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_CODE_H
#define MEMTRACE_PRELOAD_PYTHON_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/python/layout.h"

// The text of a str object as UTF-8, cut at a character where it doesn't fit, always terminated. A byte that was no
// UTF-8 when Python decoded it (surrogateescape) comes out as it was. False (and "") if it can't be read.
bool mt_python_text(const struct mt_python_layout *layout, const void *str, char *out, size_t out_bytes);

// A number by which the code object is known: of its name, its file and its whole line table, or of a version that no
// other has. The caller has checked that the code object is readable.
uint64_t mt_python_code_key(const struct mt_python_layout *layout, const void *code);

// The line of the instruction `offset` bytes into the bytecode of `code`; the first line where the table is silent.
uint32_t mt_python_code_line(const struct mt_python_layout *layout, const void *code, uint32_t offset);

// The decoders behind it: the line of the instruction at byte `offset`, or 0 where the table gives none.
uint32_t mt_python_line_lnotab(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset);
uint32_t mt_python_line_pep626(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset);
uint32_t mt_python_line_pep657(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset);

#endif
