/*
 * The ledger of ledger.h. Lines are flushed one by one: the programs fork, exec and die, and what they had printed must
 * neither be lost nor be printed twice.
 */
#include "tests/e2e/coverage/ledger.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LEDGERS 3

static const char *who = "", *whose = ""; // the process and the device that lines are about
static bool skipped;

// The report's ledgers, and the kinds of memory that each holds, each between spaces.
static const struct {
    const char *name, *kinds;
} ledgers[LEDGERS] = {
    {.name = "physical", .kinds = " device pitched array physical graph "},
    {.name = "allocator", .kinds = " pool "},
    {.name = "host", .kinds = " managed pinned registered "},
};

struct total {
    uint64_t live, peak;
};

static struct total totals[LEDGER_DEVICES][LEDGERS];
static unsigned current;

// NULL for what is not this process's own memory.
static struct total *total_of(const char *kind) {
    char word[32];

    snprintf(word, sizeof word, " %s ", kind);
    for (size_t i = 0; i < LEDGERS; i++) {
        if (strstr(ledgers[i].kinds, word)) return &totals[current][i];
    }
    return NULL;
}

static void line(char sign, uint64_t bytes, const char *kind, const char *call) {
    printf("%s%sledger %c %" PRIu64 " %s %s\n", who, whose, sign, bytes, kind, call);
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
    printf("%s%sledger ! %" PRIu64 " %s %s %d\n", who, whose, bytes, kind, call, result);
    fflush(stdout);
}

static void device_end(unsigned device) {
    for (size_t i = 0; i < LEDGERS; i++) {
        const struct total *total = &totals[device][i];
        if (total->peak == 0) continue;
        printf("%s", who);
        if (*whose) printf("%u ", device);
        printf("ledger = %s live %" PRIu64 " peak %" PRIu64 "\n", ledgers[i].name, total->live, total->peak);
    }
}

void ledger_end(void) {
    for (unsigned device = 0; device < LEDGER_DEVICES; device++) device_end(device);
    fflush(stdout);
}

void ledger_name(const char *name) {
    static char prefix[32];

    snprintf(prefix, sizeof prefix, "%s ", name);
    who = prefix;
    memset(totals, 0, sizeof totals);
}

void ledger_device(unsigned device) {
    static char prefix[16];

    current = device % LEDGER_DEVICES;
    snprintf(prefix, sizeof prefix, "%u ", current);
    whose = prefix;
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
