/*
 * The check of option_names.h: the nearest name is the one with the fewest letters to insert, delete or change.
 */
#include "preload/option_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "preload/message.h"

#define PREFIX "MEMTRACE"

static const char *const names[] = {
    "MEMTRACE_OUT",      "MEMTRACE_FEED",      "MEMTRACE_STACKS", "MEMTRACE_LAUNCH_STACKS",
    "MEMTRACE_MAX_SIZE", "MEMTRACE_ARGUMENTS", "MEMTRACE_QUIET",
};
// Those that processes leave for each other, and of our tests.
static const char *const others[] = {"MEMTRACE_FAMILY", "MEMTRACE_NVTX_NEXT", "MEMTRACE_MULTICAST", "MEMTRACE_PYTHONS"};

enum { NAMES = sizeof names / sizeof names[0], OTHERS = sizeof others / sizeof others[0], LONGEST = 40 };

static bool is_one_of(const char *const *list, size_t count, const char *name, size_t length) {
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && memcmp(list[i], name, length) == 0) return true;
    return false;
}

static unsigned least(unsigned a, unsigned b, unsigned c) {
    unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// Levenshtein's distance; `length` is at most LONGEST.
static unsigned distance(const char *name, size_t length, const char *known) {
    unsigned row[LONGEST + 1];
    for (size_t i = 0; i <= length; i++) row[i] = (unsigned)i;
    for (size_t k = 0; known[k]; k++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)k + 1;
        for (size_t i = 1; i <= length; i++) {
            unsigned above = row[i];
            row[i] = least(above + 1, row[i - 1] + 1, diagonal + (name[i - 1] != known[k]));
            diagonal = above;
        }
    }
    return row[length];
}

static const char *nearest(const char *name, size_t length) {
    const char *best = names[0];
    unsigned best_distance = LONGEST;
    if (length > LONGEST) length = LONGEST;
    for (size_t i = 0; i < NAMES; i++) {
        unsigned steps = distance(name, length, names[i]);
        if (steps >= best_distance) continue;
        best = names[i];
        best_distance = steps;
    }
    return best;
}

void mt_option_names_check(void) {
    for (char **variable = environ; variable && *variable; variable++) {
        size_t length = strcspn(*variable, "=");
        if (strncmp(*variable, PREFIX, strlen(PREFIX)) != 0) continue;
        if (is_one_of(names, NAMES, *variable, length) || is_one_of(others, OTHERS, *variable, length)) continue;
        mt_message("%.*s is no variable of memtrace, and does nothing; is it to be %s?",
                   (int)(length < 60 ? length : 60), *variable, nearest(*variable, length));
    }
}
