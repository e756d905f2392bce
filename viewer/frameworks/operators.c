/*
 * Operators of PyTorch; see operators.h.
 */
#include "viewer/frameworks/operators.h"

#include <ctype.h>
#include <string.h>

#define SIZES ", sizes = ["

size_t mt_operator_name(const char *text) {
    static const char *const fields[] = {", seq = ", ", op_id = ", SIZES};
    const char *end = NULL;
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        const char *found = strstr(text, fields[i]);
        if (found && (!end || found < end)) end = found;
    }
    return end ? (size_t)(end - text) : 0;
}

const char *mt_operator_sizes(const char *text, const char **end) {
    const char *sizes = strstr(text, SIZES);
    if (!sizes) return NULL;
    sizes += strlen(SIZES) - 1;
    size_t open = 0;
    for (const char *at = sizes; *at; at++) {
        if (*at == '[') open++;
        if (*at != ']' || --open) continue;
        *end = at + 1;
        return sizes;
    }
    return NULL; // cut off
}

// Whether a word of the operator's name, after its namespace, begins so: "pool" is in "aten::max_pool2d".
static bool has_word(const char *text, const char *word) {
    const char *end = text + mt_operator_name(text), *name = strstr(text, "::");
    if (!name || name >= end) return false;
    for (const char *at = name + 2; at < end; at++)
        if (!isalnum((unsigned char)at[-1]) && strncmp(at, word, strlen(word)) == 0) return true;
    return false;
}

static bool has_one_of(const char *text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (has_word(text, words[i])) return true;
    return false;
}

bool mt_operator_only_allocates(const char *text) {
    static const char *const words[] = {"empty", "resize_"};
    return has_one_of(text, words, sizeof(words) / sizeof(*words));
}

bool mt_operator_reshapes(const char *text) {
    static const char *const words[] = {
        "all",   "amax", "amin", "any", "arg",     "cat",  "conv", "embedding", "gather", "im2col",  "index",
        "kron",  "max",  "mean", "min", "outer",   "pad",  "pool", "one",       "prod",   "repeat",  "resize",
        "stack", "std",  "stft", "sum", "nanmean", "tile", "var",  "topk",      "unfold", "upsample"};
    static const char *const elementwise[] = {"clamp", "maximum", "minimum"}; // though a word of theirs is above
    return has_one_of(text, words, sizeof(words) / sizeof(*words)) &&
           !has_one_of(text, elementwise, sizeof(elementwise) / sizeof(*elementwise));
}
