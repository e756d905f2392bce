/*
 * Code objects: texts in all layouts of PEP 393, and what tells one from the next at its address. See python/code.h;
 * the line tables' decoders are in python/lines.c.
 */
#include "preload/python/code.h"

#include "preload/python/read.h"
#include "preload/utf8.h"
#include "tracer/checksum.h"

enum {
    MAX_TEXT = 1 << 16,
    MAX_LINE_TABLE = 1 << 24,
    STR_HASH = 24, // offsetof(PyASCIIObject, hash), in all versions
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

static void add_word(struct mt_python_identity *identity, const void *object, ptrdiff_t offset) {
    const char *address = (const char *)object + offset;
    if (identity->count == MT_PYTHON_IDENTITY_WORDS || !mt_python_readable(address, 8)) return;
    identity->words[identity->count++] = (struct mt_python_word){address, (uint64_t)mt_python_size(address, 0)};
}

// The aligned word that a member of 4 bytes lies in; its neighbours are constants of the code object, too.
static void add_member(struct mt_python_identity *identity, const void *code, size_t offset) {
    add_word(identity, code, (ptrdiff_t)(offset & ~(size_t)7));
}

// How long a text is, and its last bytes: of short ones, with some of the header in front.
static void add_text(struct mt_python_identity *identity, const struct mt_python_layout *layout, const void *str) {
    struct characters text;
    if (!find_characters(layout, str, &text)) return;
    add_word(identity, str, layout->text.length);
    const char *end = (const char *)text.data + text.count * text.width;
    add_word(identity, end, -8);
    add_word(identity, end, -16);
}

// How long it is and both its ends, where tables of generated code differ.
static void add_line_table(struct mt_python_identity *identity, const struct mt_python_layout *layout,
                           const void *code) {
    size_t bytes;
    const uint8_t *table = line_table(layout, code, &bytes);
    if (!table) return;
    add_word(identity, mt_python_pointer(code, layout->code.line_table), layout->bytes.size);
    add_word(identity, table + bytes, -8);
    if (bytes <= 8) return;
    add_word(identity, table + bytes, -16);
    add_word(identity, table, 0);
    if (bytes >= 16) add_word(identity, table, 8);
}

void mt_python_identify(const struct mt_python_layout *layout, const void *code, struct mt_python_identity *identity) {
    identity->code = code;
    identity->count = 0;
    if (layout->code.version && mt_python_int(code, layout->code.version)) {
        add_member(identity, code, layout->code.version);
        return;
    }
    const void *name = mt_python_pointer(code, layout->code.name);
    add_word(identity, code, layout->code.name);
    add_word(identity, code, layout->code.filename);
    add_word(identity, code, layout->code.line_table);
    add_member(identity, code, layout->code.first_line);
    // Names are interned, and so hashed; files are not.
    if (mt_python_aligned(name)) add_word(identity, name, STR_HASH);
    add_text(identity, layout, mt_python_pointer(code, layout->code.filename));
    add_line_table(identity, layout, code);
}

uint64_t mt_python_identity_key(const struct mt_python_identity *identity) {
    uint64_t key = mt_step(0, (uintptr_t)identity->code);
    for (unsigned i = 0; i < identity->count; i++) key = mt_step(key, identity->words[i].value);
    return key;
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
