/*
 * The three encodings in which CPython maps bytecode to lines: co_lnotab (3.9), PEP 626 (3.10), PEP 657 (3.11 and
 * later). Pure functions of the table's bytes, which may be damaged: every read is bounded. Called by python/code.c.
 */
#include "preload/python/code.h"

// Pairs (bytes further: unsigned, lines further: signed); a line starts where its pair ends.
uint32_t mt_python_line_lnotab(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset) {
    uint64_t address = 0;
    int64_t line = first_line;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        address += table[i];
        if (address > offset) break;
        line += (int8_t)table[i + 1];
    }
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

// Pairs (bytes covered: unsigned, line against the entry before: signed, -128 for no line).
uint32_t mt_python_line_pep626(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset) {
    uint64_t end = 0;
    int64_t line = first_line;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        int8_t delta = (int8_t)table[i + 1];
        end += table[i];
        if (delta != INT8_MIN) line += delta;
        if (end > offset) return delta != INT8_MIN && line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
    }
    return 0;
}

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
};

// Six bits a byte, low first, bit 6 set on all but the last.
static uint32_t read_varint(struct cursor *cursor) {
    uint32_t value = 0;
    for (unsigned shift = 0; cursor->at < cursor->end; shift += 6) {
        uint8_t byte = *cursor->at++;
        if (shift < 32) value |= (uint32_t)(byte & 0x3f) << shift;
        if (!(byte & 0x40)) break;
    }
    return value;
}

static int64_t read_signed_varint(struct cursor *cursor) {
    uint32_t value = read_varint(cursor);
    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

// Entries of one byte 1 CCCC LLL – a code, and the code units covered minus one – and what the code calls for. All
// bytes that follow have bit 7 clear, so unused ones need not be decoded.
uint32_t mt_python_line_pep657(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset) {
    enum { CODE_ONE_LINE_0 = 10, CODE_ONE_LINE_2 = 12, CODE_NO_COLUMNS = 13, CODE_LONG = 14, CODE_NONE = 15 };
    struct cursor cursor = {table, table + bytes};
    uint64_t end = 0;
    int64_t line = first_line;
    while (cursor.at < cursor.end) {
        uint8_t head = *cursor.at++;
        unsigned code = head >> 3 & 15;
        end += 2 * ((head & 7u) + 1);
        if (code >= CODE_ONE_LINE_0 && code <= CODE_ONE_LINE_2) {
            line += code - CODE_ONE_LINE_0;
        } else if (code == CODE_NO_COLUMNS || code == CODE_LONG) {
            line += read_signed_varint(&cursor);
        }
        if (end > offset) return code != CODE_NONE && line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
        while (cursor.at < cursor.end && !(*cursor.at & 0x80)) cursor.at++;
    }
    return 0;
}
