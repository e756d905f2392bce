/*
 * Shapes in text; see shape.h.
 */
#include "viewer/frameworks/shape.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "viewer/frameworks/operators.h"

#define MOST_EXTENTS 16
#define MOST_SHAPES  32

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
static bool says_shape(const char *at) {
    static const char *const words[] = {"size", "shape"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strncasecmp(at, words[i], strlen(words[i])) == 0) return true;
    return false;
}

// Part of a label, and all shapes in it.
struct shapes {
    struct shape items[MOST_SHAPES];
    size_t count;
};

// False: there are too many.
static bool find_shapes(const char *text, struct shapes *shapes) {
    const char *end = text + strlen(text);
    const char *sizes = mt_operator_sizes(text, &end);
    const char *start = sizes ? sizes : text;
    bool said = false;
    shapes->count = 0;
    for (const char *at = text; at < start && !said; at++) said = says_shape(at);
    for (const char *at = start; at < end; at++) {
        struct shape shape;
        said = said || says_shape(at);
        if (*at != '(' && *at != '[') continue;
        if (!parse_extents(at + 1, *at == '(' ? ')' : ']', &shape)) continue;
        if (shape.count < 2 && !said) continue;
        if (shapes->count == MOST_SHAPES) return false;
        shapes->items[shapes->count++] = shape;
    }
    return true;
}

bool mt_has_shape(const char *text) {
    struct shapes shapes;
    return !find_shapes(text, &shapes) || shapes.count;
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

// Whether a tensor of this shape works together with one of the other, element by element, in the other's shape.
static bool fits_into(const struct shape *shape, const struct shape *other) {
    if (shape->count > other->count) return false;
    const uint64_t *aligned = other->extents + (other->count - shape->count);
    for (size_t i = 0; i < shape->count; i++)
        if (shape->extents[i] != aligned[i] && shape->extents[i] != 1) return false;
    return true;
}

// The one that all others fit into, or NULL.
static const struct shape *common_shape(const struct shapes *shapes) {
    for (size_t i = 0; i < shapes->count; i++) {
        size_t fitting = 0;
        while (fitting < shapes->count && fits_into(&shapes->items[fitting], &shapes->items[i])) fitting++;
        if (fitting == shapes->count) return &shapes->items[i];
    }
    return NULL;
}

bool mt_shape_of(const char *text, uint64_t bytes, char out[MT_SHAPE_BYTES]) {
    struct shapes shapes;
    if (mt_operator_reshapes(text) || !find_shapes(text, &shapes)) return false;
    const struct shape *shape = common_shape(&shapes);
    if (!shape || !can_have(shape, bytes)) return false;
    size_t used = 0;
    for (size_t i = 0; i < shape->count && used < MT_SHAPE_BYTES; i++)
        used += (size_t)snprintf(out + used, MT_SHAPE_BYTES - used, "%s%llu", i ? ", " : "(",
                                 (unsigned long long)shape->extents[i]);
    if (used + 2 > MT_SHAPE_BYTES) return false;
    strcpy(out + used, ")");
    return true;
}
