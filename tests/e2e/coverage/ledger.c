/*
 * The ledger of ledger.h. Lines are flushed one by one: the programs fork, exec and die, and what they had printed must
 * neither be lost nor be printed twice.
 */
#include "tests/e2e/coverage/ledger.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *who = "";
static bool skipped;

// The report's ledgers, and what each holds.
static struct total {
    const char *name;
    const char *kinds; // of memory that it holds, each between spaces
    uint64_t live, peak;
} totals[] = {
    {.name = "physical", .kinds = " device pitched array physical graph "},
    {.name = "allocator", .kinds = " pool "},
    {.name = "host", .kinds = " managed pinned registered "},
};

// NULL for what is not this process's own memory.
static struct total *total_of(const char *kind) {
    char word[32];

    snprintf(word, sizeof word, " %s ", kind);
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        if (strstr(totals[i].kinds, word)) return &totals[i];
    }
    return NULL;
}

static void line(char sign, uint64_t bytes, const char *kind, const char *call) {
    printf("%sledger %c %" PRIu64 " %s %s\n", who, sign, bytes, kind, call);
    fflush(stdout);
}

void ledger_plus(uint64_t bytes, const char *kind, const char *call) {
    struct total *total = total_of(kind);

    line('+', bytes, kind, call);
    if (!total) return;
    total->live += bytes;
    if (total->live > total->peak) total->peak = total->live;
}

void ledger_minus(uint64_t bytes, const char *kind, const char *call) {
    struct total *total = total_of(kind);

    line('-', bytes, kind, call);
    if (total) total->live -= bytes;
}

void ledger_captured(uint64_t bytes, const char *kind, const char *call) {
    line('~', bytes, kind, call);
}

void ledger_failed(uint64_t bytes, const char *kind, const char *call, int result) {
    printf("%sledger ! %" PRIu64 " %s %s %d\n", who, bytes, kind, call, result);
    fflush(stdout);
}

void ledger_end(void) {
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        const struct total *total = &totals[i];
        if (total->peak > 0)
            printf("%sledger = %s live %" PRIu64 " peak %" PRIu64 "\n", who, total->name, total->live, total->peak);
    }
    fflush(stdout);
}

void ledger_name(const char *name) {
    static char prefix[32];

    snprintf(prefix, sizeof prefix, "%s ", name);
    who = prefix;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) totals[i].live = totals[i].peak = 0;
}

void ledger_fact(const char *name, uint64_t value) {
    printf("%sfact %s %" PRIu64 "\n", who, name, value);
    fflush(stdout);
}

int ledger_skip(const char *reason) {
    printf("skip: %s\n", reason);
    fflush(stdout);
    skipped = true;
    return 0;
}

int ledger_main(int argc, char **argv, const struct ledger_row *rows, size_t count) {
    if (argc < 2) {
        for (size_t i = 0; i < count; i++) puts(rows[i].name);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(argv[1], rows[i].name) != 0) continue;
        int result = rows[i].run();
        if (result == 0 && !skipped) ledger_end();
        return result;
    }
    fprintf(stderr, "%s: no row %s\n", argv[0], argv[1]);
    return 1;
}
