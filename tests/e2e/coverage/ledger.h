/*
 * The byte ledger that every coverage program prints, so that a case can hold the report against it. One line an event:
 *
 *   ledger + BYTES kind call           memory came              ledger - BYTES kind call          memory went
 *   ledger ~ BYTES kind call           asked for under capture  ledger ! BYTES kind call RESULT   the call failed
 *   ledger = LEDGER live BYTES peak BYTES   the end: what the physical, allocator and host ledgers held
 *
 * `call` is the driver entry point that does it. Kinds are named as the report names them; what is not this process's
 * own memory (imported, address) is printed and not summed. A program is a table of rows, one row a run: `linear
 * pitch`. A row that the device cannot do prints "skip: reason" and ends well, since that is a fact about the device.
 */
#ifndef MEMTRACE_E2E_LEDGER_H
#define MEMTRACE_E2E_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

#ifdef __cplusplus
extern "C" {
#endif

void ledger_plus(uint64_t bytes, const char *kind, const char *call);
void ledger_minus(uint64_t bytes, const char *kind, const char *call);
void ledger_captured(uint64_t bytes, const char *kind, const char *call);
void ledger_failed(uint64_t bytes, const char *kind, const char *call, int result);
void ledger_end(void);

// A second process of the same run prints its lines as "NAME ledger …" and starts at zero.
void ledger_name(const char *name);

// From here on the lines are about memory of this device: they print as "DEVICE ledger …", with totals of its own.
#define LEDGER_DEVICES 4
void ledger_device(unsigned device);

// Any other fact of the run that a case may want: "fact NAME VALUE".
void ledger_fact(const char *name, uint64_t value);

// What a row returns when the device cannot do it; prints why.
int ledger_skip(const char *reason);

struct ledger_row {
    const char *name;
    int (*run)(void); // 0: the ledger is complete
};

// Runs the row that argv[1] names and prints the end of the ledger; without an argument lists the rows.
int ledger_main(int argc, char **argv, const struct ledger_row *rows, size_t count);

#define LEDGER_MAIN(rows)                                                                                              \
    int main(int argc, char **argv) {                                                                                  \
        return ledger_main(argc, argv, rows, sizeof rows / sizeof rows[0]);                                            \
    }

#ifdef __cplusplus
}
#endif
#endif
