/*
 * Making text printable; see printable.h.
 */
#include "viewer/base/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"

struct span {
    uint32_t first, last;
};

// Controls, and what turns the direction of text or ends a line.
static const struct span unprintable[] = {
    {0, 0x1f}, {0x7f, 0x9f}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
};

static const struct span without_width[] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0xfe00, 0xfe0f}};

// East Asian characters and pictures.
static const struct span wide[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
};

#define is_in(c, spans) is_in_one((c), (spans), sizeof(spans) / sizeof(*(spans)))

static bool is_in_one(uint32_t c, const struct span *spans, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (c >= spans[i].first && c <= spans[i].last) return true;
    return false;
}

// The character at the beginning of a text, and the bytes it takes; 0: no UTF-8.
static size_t decode(const char *text, size_t bytes, uint32_t *c) {
    const unsigned char *at = (const unsigned char *)text;
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    if (!length || length > bytes) return 0;
    *c = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (at[i] >> 6 != 2) return 0;
        *c = *c << 6 | (at[i] & 0x3f);
    }
    return *c < lowest[length] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff) ? 0 : length;
}

static void escape(FILE *out, uint32_t c) {
    if (c == '\n')
        fprintf(out, "\\n");
    else if (c == '\r')
        fprintf(out, "\\r");
    else if (c == '\t')
        fprintf(out, "\\t");
    else
        fprintf(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
}

static char *escaped(const char *text, size_t bytes, bool quoted) {
    char *result = NULL;
    size_t result_bytes = 0, length;
    FILE *out = open_memstream(&result, &result_bytes);
    if (!out) return mt_copy_text("", 0);
    if (quoted) fputc('"', out);
    for (size_t i = 0; i < bytes; i += length) {
        uint32_t c = 0;
        length = decode(text + i, bytes - i, &c);
        if (!length) {
            escape(out, (unsigned char)text[i]);
            length = 1;
        } else if (is_in(c, unprintable)) {
            escape(out, c);
        } else {
            if (quoted && (c == '"' || c == '\\')) fputc('\\', out);
            fwrite(text + i, 1, length, out);
        }
    }
    if (quoted) fputc('"', out);
    fclose(out);
    return result;
}

static bool is_plain(const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (text[i] < ' ' || text[i] > '~') return false;
    return true;
}

char *mt_printable(const char *text, size_t bytes) {
    return is_plain(text, bytes) ? mt_copy_text(text, bytes) : escaped(text, bytes, false);
}

char *mt_quoted(const char *text, size_t bytes) {
    return escaped(text, bytes, true);
}

static size_t columns_of(uint32_t c) {
    return is_in(c, without_width) ? 0 : is_in(c, wide) ? 2 : 1;
}

size_t mt_columns(const char *text) {
    size_t columns = 0, length;
    uint32_t c;
    for (; *text; text += length) {
        length = decode(text, strnlen(text, 4), &c);
        columns += length ? columns_of(c) : 1;
        if (!length) length = 1;
    }
    return columns;
}

char *mt_shortened(const char *text, size_t most) {
    size_t used = 0, length;
    uint32_t c;
    if (mt_columns(text) <= most) return mt_copy_text(text, strlen(text));
    for (size_t taken = 0; text[used]; used += length) {
        length = decode(text + used, strnlen(text + used, 4), &c);
        taken += length ? columns_of(c) : 1;
        if (!length) length = 1;
        if (taken >= most) break; // one for the mark
    }
    return mt_format_text("%.*s…", (int)used, text);
}
