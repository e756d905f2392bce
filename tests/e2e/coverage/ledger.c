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
static uint64_t live;
static uint64_t peak;
static bool skipped;

static bool is_own(const char *kind) {
    return strcmp(kind, "imported") != 0 && strcmp(kind, "address") != 0;
}

static void line(char sign, uint64_t bytes, const char *kind, const char *call) {
    printf("%sledger %c %" PRIu64 " %s %s\n", who, sign, bytes, kind, call);
    fflush(stdout);
}

void ledger_plus(uint64_t bytes, const char *kind, const char *call) {
    line('+', bytes, kind, call);
    if (is_own(kind)) live += bytes;
    if (live > peak) peak = live;
}

void ledger_minus(uint64_t bytes, const char *kind, const char *call) {
    line('-', bytes, kind, call);
    if (is_own(kind)) live -= bytes;
}

void ledger_captured(uint64_t bytes, const char *kind, const char *call) {
    line('~', bytes, kind, call);
}

void ledger_failed(uint64_t bytes, const char *kind, const char *call, int result) {
    printf("%sledger ! %" PRIu64 " %s %s %d\n", who, bytes, kind, call, result);
    fflush(stdout);
}

void ledger_end(void) {
    printf("%sledger = live %" PRIu64 " peak %" PRIu64 "\n", who, live, peak);
    fflush(stdout);
}

void ledger_name(const char *name) {
    static char prefix[32];

    snprintf(prefix, sizeof prefix, "%s ", name);
    who = prefix;
    live = peak = 0;
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
