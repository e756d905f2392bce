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
#include "preload/python/read.h"

// The text of a str object as UTF-8, cut at a character where it doesn't fit, always terminated. A byte that was no
// UTF-8 when Python decoded it (surrogateescape) comes out as it was. False (and "") if it can't be read.
bool mt_python_text(const struct mt_python_layout *layout, const void *str, char *out, size_t out_bytes);

// What tells a code object from another at its address, since addresses are reused, and those of its members with them:
// words of the code object, then of what they point at, so that each can be read while those before it still hold.
enum { MT_PYTHON_IDENTITY_WORDS = 13 };
struct mt_python_word {
    const void *address;
    uint64_t value;
};
struct mt_python_identity {
    const void *code;
    uint32_t count; // of words
    uint32_t id;    // for the owner's use
    struct mt_python_word words[MT_PYTHON_IDENTITY_WORDS];
};

// The caller has checked that the code object is readable. `id` is left as it is.
void mt_python_identify(const struct mt_python_layout *layout, const void *code, struct mt_python_identity *identity);

// A number by which the code object is known.
uint64_t mt_python_identity_key(const struct mt_python_identity *identity);

// Whether the code object that a live frame runs, at the same address, is still that one.
static inline bool mt_python_identity_holds(const struct mt_python_identity *identity) {
    for (unsigned i = 0; i < identity->count; i++) {
        if ((uint64_t)mt_python_size(identity->words[i].address, 0) != identity->words[i].value) return false;
    }
    return identity->count > 0;
}

// The line of the instruction `offset` bytes into the bytecode of `code`; the first line where the table is silent.
uint32_t mt_python_code_line(const struct mt_python_layout *layout, const void *code, uint32_t offset);

// The decoders behind it: the line of the instruction at byte `offset`, or 0 where the table gives none.
uint32_t mt_python_line_lnotab(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset);
uint32_t mt_python_line_pep626(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset);
uint32_t mt_python_line_pep657(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset);

#endif
