/*
 * Shapes in text; see shape.h.
 */
#include "viewer/shape.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_EXTENTS 16

struct shape {
    uint64_t extents[MOST_EXTENTS];
    size_t count;
};

// "512, 512, 3)" or "8,16]": numbers up to the closing bracket.
static bool parse_extents(const char *at, char closing, struct shape *shape) {
    shape->count = 0;
    for (;;) {
        while (*at == ' ') at++;
        if (*at == closing) return shape->count > 0;
        if (!isdigit((unsigned char)*at) || shape->count == MOST_EXTENTS) return false;
        char *end;
        shape->extents[shape->count++] = strtoull(at, &end, 10);
        for (at = end; *at == ' '; at++) continue;
        if (*at == ',')
            at++;
        else if (*at != closing)
            return false;
    }
}

// One number in brackets can be anything, "step (12)"; after one of these words it is a shape.
static bool says_shape(const char *text, const char *bracket) {
    static const char *const words[] = {"size", "shape"};
    for (const char *at = text; at < bracket; at++)
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
            if (strncasecmp(at, words[i], strlen(words[i])) == 0) return true;
    return false;
}

// The first shape from `at` on; *next is behind its bracket.
static bool find_shape(const char *text, const char *at, struct shape *shape, const char **next) {
    for (; *at; at++) {
        if (*at != '(' && *at != '[') continue;
        if (!parse_extents(at + 1, *at == '(' ? ')' : ']', shape)) continue;
        if (shape->count < 2 && !says_shape(text, at)) continue;
        *next = at + 1;
        return true;
    }
    return false;
}

bool mt_has_shape(const char *text) {
    struct shape shape;
    const char *next;
    return find_shape(text, text, &shape, &next);
}

static bool can_have(const struct shape *shape, uint64_t bytes) {
    uint64_t elements = 1;
    for (size_t i = 0; i < shape->count; i++)
        if (__builtin_mul_overflow(elements, shape->extents[i], &elements)) return false;
    for (uint64_t element_bytes = 1; element_bytes <= 16; element_bytes *= 2) {
        uint64_t exact;
        if (__builtin_mul_overflow(elements, element_bytes, &exact) || exact > UINT64_MAX - 511) return false;
        if (exact && (bytes == exact || bytes == (exact + 511) / 512 * 512)) return true;
    }
    return false;
}

bool mt_shape_of(const char *text, uint64_t bytes, char out[MT_SHAPE_BYTES]) {
    struct shape shape, other;
    const char *next;
    if (!find_shape(text, text, &shape, &next) || find_shape(text, next, &other, &next)) return false;
    if (!can_have(&shape, bytes)) return false;
    size_t used = 0;
    for (size_t i = 0; i < shape.count && used < MT_SHAPE_BYTES; i++)
        used += (size_t)snprintf(out + used, MT_SHAPE_BYTES - used, "%s%llu", i ? ", " : "(",
                                 (unsigned long long)shape.extents[i]);
    if (used + 2 > MT_SHAPE_BYTES) return false;
    strcpy(out + used, ")");
    return true;
}
