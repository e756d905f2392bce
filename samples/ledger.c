/* The sample's account of device memory; samples/ledger.h describes it and the lines it prints. The tensors alive stand
 * in one array, youngest last; what is freed is mostly young, so it is looked for from the end.
 */
#include "samples/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool print;
    struct ledger_tensor *tensors; // [capacity], the first `count` are alive
    size_t count, capacity;
    size_t total, peak; // bytes; peak since the last phase ended
} ledger;

void ledger_enable(bool print) {
    ledger.print = print;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_tensor(char sign, const struct ledger_tensor *tensor, struct ledger_place place) {
    if (!ledger.print) return;
    printf("ledger %c %zu %s %s %s %s %s:%d allocated %zu\n", sign, tensor->bytes, tensor->why, tensor->name,
           tensor->shape, place.function, base_name(place.file), place.line, ledger.total);
}

void ledger_allocated(const struct ledger_tensor *tensor) {
    if (ledger.count == ledger.capacity) {
        ledger.capacity = ledger.capacity ? 2 * ledger.capacity : 64;
        ledger.tensors = realloc(ledger.tensors, ledger.capacity * sizeof *ledger.tensors);
        if (!ledger.tensors) abort();
    }
    ledger.tensors[ledger.count++] = *tensor;
    ledger.total += tensor->bytes;
    if (ledger.peak < ledger.total) ledger.peak = ledger.total;
    print_tensor('+', tensor, tensor->place);
}

void ledger_freed(const void *data, struct ledger_place place) {
    size_t i = ledger.count;
    while (i-- > 0 && ledger.tensors[i].data != data) continue;
    if (i == (size_t)-1) {
        fprintf(stderr, "%s:%d: %p was never allocated\n", place.file, place.line, data);
        abort();
    }
    const struct ledger_tensor freed = ledger.tensors[i];
    memmove(&ledger.tensors[i], &ledger.tensors[i + 1], (ledger.count - i - 1) * sizeof *ledger.tensors);
    ledger.count--;
    ledger.total -= freed.bytes;
    print_tensor('-', &freed, place);
}

void ledger_failed(const struct ledger_tensor *tensor) {
    print_tensor('!', tensor, tensor->place);
}

void ledger_segment(char sign, size_t bytes, size_t reserved, struct ledger_place place) {
    if (!ledger.print) return;
    printf("ledger %c %zu segment %s %s:%d reserved %zu\n", sign, bytes, place.function, base_name(place.file),
           place.line, reserved);
}

void ledger_phase(const char *phase, size_t reserved) {
    if (ledger.print)
        printf("ledger = %s allocated %zu reserved %zu peak %zu\n", phase, ledger.total, reserved, ledger.peak);
    ledger.peak = ledger.total;
}

size_t ledger_total(void) {
    return ledger.total;
}
