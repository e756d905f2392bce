/* The sample's own account of device memory: every tensor it takes and gives back, why, and where in the source. It is
 * what a tracer's report is compared with, so it counts by itself and asks CUDA nothing. Lines on stdout with --ledger:
 *
 *   ledger + BYTES WHY NAME SHAPE FUNCTION FILE:LINE allocated TOTAL   a tensor was allocated
 *   ledger - BYTES WHY NAME SHAPE FUNCTION FILE:LINE allocated TOTAL   a tensor is about to be freed
 *   ledger ! BYTES WHY NAME SHAPE FUNCTION FILE:LINE allocated TOTAL   the device refused a tensor
 *   ledger > BYTES segment FUNCTION FILE:LINE reserved TOTAL           the caching allocator took memory from the
 * device ledger < BYTES segment FUNCTION FILE:LINE reserved TOTAL           ... and gives it back ledger = PHASE
 * allocated BYTES reserved BYTES peak BYTES           a phase ended; peak is the most during it
 *
 * SHAPE is written as Python writes a tuple, with spaces: (1024, 1024), (1024,). Every other field is one word.
 * For one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the source; the strings live as long as the program. */
struct ledger_place {
    const char *function, *file;
    int line;
};

struct ledger_tensor {
    const void *data;
    size_t bytes;    // as the allocator counts them
    const char *why; // a word that lives as long as the program
    char name[40];
    char shape[48];
    struct ledger_place place; // where it was asked for
};

void ledger_enable(bool print);
void ledger_allocated(const struct ledger_tensor *tensor);
void ledger_freed(const void *data, struct ledger_place place);
void ledger_failed(const struct ledger_tensor *tensor);
void ledger_segment(char sign, size_t bytes, size_t reserved, struct ledger_place place);
void ledger_phase(const char *phase, size_t reserved);

/* Bytes of all tensors alive. */
size_t ledger_total(void);

#ifdef __cplusplus
}
#endif
