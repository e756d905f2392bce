/*
 * A function's name out of its demangled signature: without the parameters, and without the return type that those of
 * template functions begin with.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_SIGNATURE_H
#define MEMTRACE_VIEWER_SYMBOLS_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

// The name within `text`, as offset and length; all of it if there are no parameters. `cut`: the text's end is missing.
struct mt_name_range {
    size_t start, bytes;
};
struct mt_name_range mt_signature_name(const char *text, size_t bytes, bool cut);

#endif
