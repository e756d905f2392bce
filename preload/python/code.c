/*
 * Code objects: texts in all layouts of PEP 393, and what tells one from another. See python/code.h; the line tables'
 * decoders are in python/lines.c.
 */
#include "preload/python/code.h"

#include "preload/python/read.h"
#include "preload/utf8.h"
#include "tracer/checksum.h"

enum {
    MAX_TEXT = 1 << 16,
    MAX_LINE_TABLE = 1 << 24,
};

// The character storage of a str: where it starts, and how wide a character is.
struct characters {
    const void *data;
    size_t count;
    unsigned width; // 1, 2 or 4 bytes
};

static bool find_characters(const struct mt_python_layout *layout, const void *str, struct characters *out) {
    if (!mt_python_aligned(str) || !mt_python_readable(str, (size_t)layout->text.compact_bytes + 8)) return false;
    uint32_t state = (uint32_t)mt_python_int(str, layout->text.state) >> layout->text.kind_shift;
    bool compact = state >> 3 & 1;
    bool ascii = state >> 4 & 1;
    int64_t count = mt_python_size(str, layout->text.length);
    out->width = state & 7;
    if (count < 0 || (out->width != 1 && out->width != 2 && out->width != 4)) return false;
    out->count = count < MAX_TEXT ? (size_t)count : MAX_TEXT;
    if (!compact) {
        out->data = mt_python_pointer(str, layout->text.compact_bytes);
    } else {
        out->data = (const char *)str + (ascii ? layout->text.ascii_bytes : layout->text.compact_bytes);
    }
    return out->count == 0 || mt_python_readable(out->data, out->count * out->width);
}

static uint32_t character_at(const struct characters *text, size_t index) {
    if (text->width == 1) return ((const uint8_t *)text->data)[index];
    if (text->width == 2) return ((const uint16_t *)text->data)[index];
    return ((const uint32_t *)text->data)[index];
}

static size_t encode(uint32_t c, char out[4]) {
    if (c >= 0xdc80 && c <= 0xdcff) { // surrogateescape: the byte that couldn't be decoded
        out[0] = (char)(c - 0xdc00);
        return 1;
    }
    return mt_utf8_encode(c, out);
}

bool mt_python_text(const struct mt_python_layout *layout, const void *str, char *out, size_t out_bytes) {
    struct characters text;
    size_t used = 0;
    out[0] = '\0';
    if (!find_characters(layout, str, &text)) return false;
    for (size_t i = 0; i < text.count; i++) {
        char encoded[4];
        size_t bytes = encode(character_at(&text, i), encoded);
        if (used + bytes >= out_bytes) break;
        memcpy(out + used, encoded, bytes);
        used += bytes;
    }
    out[used] = '\0';
    return true;
}

// A code object's line table; NULL where it can't be read.
static const uint8_t *line_table(const struct mt_python_layout *layout, const void *code, size_t *bytes) {
    const void *object = mt_python_pointer(code, layout->code.line_table);
    if (!mt_python_aligned(object) || !mt_python_readable(object, layout->bytes.data)) return NULL;
    int64_t size = mt_python_size(object, layout->bytes.size);
    const uint8_t *table = (const uint8_t *)object + layout->bytes.data;
    if (size <= 0 || size > MAX_LINE_TABLE || !mt_python_readable(table, (size_t)size)) return NULL;
    *bytes = (size_t)size;
    return table;
}

static uint64_t text_key(const struct mt_python_layout *layout, const void *str, uint64_t key) {
    struct characters text;
    if (!find_characters(layout, str, &text)) return key;
    return mt_checksum(text.data, text.count * text.width, mt_step(key, text.width));
}

uint64_t mt_python_code_key(const struct mt_python_layout *layout, const void *code) {
    uint32_t version = layout->code.version ? (uint32_t)mt_python_int(code, layout->code.version) : 0;
    if (version) return mt_step(mt_step(0, (uintptr_t)code), version);
    size_t bytes;
    const uint8_t *table = line_table(layout, code, &bytes);
    uint64_t key = mt_step(1, (uint32_t)mt_python_int(code, layout->code.first_line));
    key = text_key(layout, mt_python_pointer(code, layout->code.name), key);
    key = text_key(layout, mt_python_pointer(code, layout->code.filename), key);
    return table ? mt_checksum(table, bytes, key) : key;
}

uint32_t mt_python_code_line(const struct mt_python_layout *layout, const void *code, uint32_t offset) {
    uint32_t first_line = (uint32_t)mt_python_int(code, layout->code.first_line);
    size_t size;
    const uint8_t *table = line_table(layout, code, &size);
    if (!table) return first_line;

    uint32_t line = 0;
    switch (layout->lines) {
    case MT_PYTHON_LINES_LNOTAB:
        line = mt_python_line_lnotab(table, size, first_line, offset);
        break;
    case MT_PYTHON_LINES_PEP626:
        line = mt_python_line_pep626(table, size, first_line, offset);
        break;
    case MT_PYTHON_LINES_PEP657:
        line = mt_python_line_pep657(table, size, first_line, offset);
        break;
    }
    return line ? line : first_line;
}
