/*
 * Code points to UTF-8, for the two places where texts come in wider characters: NVTX's wide strings and Python's.
 */
#ifndef MEMTRACE_PRELOAD_UTF8_H
#define MEMTRACE_PRELOAD_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Writes the 1 to 4 bytes of a code point, returns how many. What is no code point comes out as U+FFFD.
static inline size_t mt_utf8_encode(uint32_t c, char out[4]) {
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

#endif
