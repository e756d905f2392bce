/*
 * See signature.h. Brackets tell the parts apart: parameters are the last round ones outside of all others, and a
 * return type ends at the last space outside of all, before them. Names of operators hold brackets and spaces of their
 * own.
 */
#include "viewer/symbols/signature.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { DEEPEST = 256 };

struct scan {
    const char *text;
    size_t bytes, at;
    char open[DEEPEST]; // the brackets that are open
    size_t depth;
    size_t parameters; // where the last round bracket outside of all others opened; SIZE_MAX: none did
    size_t closed;     // where that closed; SIZE_MAX: it is open
    size_t word;       // behind the last space outside of all brackets that ends no parameters
    size_t name;       // … when `parameters` opened
};

static bool starts(const struct scan *scan, const char *word) {
    size_t bytes = strlen(word);
    return scan->bytes - scan->at >= bytes && memcmp(scan->text + scan->at, word, bytes) == 0;
}

// Past "operator" and what belongs to its name.
static void skip_operator(struct scan *scan) {
    static const char *const names[] = {"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"};
    scan->at += strlen("operator");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!starts(scan, names[i])) continue;
        scan->at += strlen(names[i]);
        if (starts(scan, " <")) scan->at++; // "operator< <int>"
        return;
    }
    // "operator new[]", "operator unsigned int": the space is the name's.
    while (scan->at < scan->bytes && strchr("(<", scan->text[scan->at]) == NULL) scan->at++;
}

static bool is_word_start(const struct scan *scan) {
    unsigned char before = scan->at > 0 ? (unsigned char)scan->text[scan->at - 1] : ' ';
    return !isalnum(before) && before != '_';
}

static bool open_bracket(struct scan *scan, char bracket) {
    if (scan->depth == DEEPEST) return false;
    if (bracket == '(' && scan->depth == 0) {
        scan->parameters = scan->at;
        scan->closed = SIZE_MAX;
        scan->name = scan->word;
    }
    scan->open[scan->depth++] = bracket;
    return true;
}

// A `>` that closes nothing compares, and so did each `<` that is still open where a round bracket closes.
static void close_bracket(struct scan *scan, char bracket) {
    if (bracket == '>') {
        if (scan->depth > 0 && scan->open[scan->depth - 1] == '<') scan->depth--;
        return;
    }
    char opening = bracket == ')' ? '(' : '{';
    while (scan->depth > 0 && scan->open[scan->depth - 1] != opening) scan->depth--;
    if (scan->depth > 0) scan->depth--;
    if (bracket == ')' && scan->depth == 0) scan->closed = scan->at;
}

static bool run(struct scan *scan) {
    while (scan->at < scan->bytes) {
        char c = scan->text[scan->at];
        if (c == 'o' && starts(scan, "operator") && is_word_start(scan)) {
            skip_operator(scan);
            continue;
        }
        if (strchr("(<{", c) && !open_bracket(scan, c)) return false;
        if (strchr(")>}", c)) close_bracket(scan, c);
        scan->at++;
        if (c == ' ' && scan->depth == 0 && !starts(scan, "const") && !starts(scan, "volatile") && !starts(scan, "&"))
            scan->word = scan->at;
    }
    return true;
}

// What may stand behind parameters.
static bool is_qualifiers(const char *text, size_t bytes) {
    static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept"};
    while (bytes > 0) {
        size_t i = 0, words_count = sizeof(words) / sizeof(*words);
        while (i < words_count && (bytes < strlen(words[i]) || memcmp(text, words[i], strlen(words[i])) != 0)) i++;
        if (i == words_count) return false;
        text += strlen(words[i]);
        bytes -= strlen(words[i]);
    }
    return true;
}

struct mt_name_range mt_signature_name(const char *text, size_t bytes, bool cut) {
    struct scan scan = {.text = text, .bytes = bytes, .parameters = SIZE_MAX, .closed = SIZE_MAX};
    struct mt_name_range all = {0, bytes};
    if (!run(&scan) || scan.parameters == SIZE_MAX) return all;
    if (scan.closed == SIZE_MAX ? !cut : !is_qualifiers(text + scan.closed + 1, bytes - scan.closed - 1)) return all;
    return (struct mt_name_range){scan.name, scan.parameters - scan.name};
}
