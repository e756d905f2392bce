/*
 * libFuzzer's entry into the whole report: of any bytes, all views come to an end without a crash or a leak. `make
 * fuzz` runs it beside fuzz_reader; damage comes as traces get it (damage.h) and, less often, as bytes.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/damage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t most); // libFuzzer's own

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    const int file = memfd_create("fuzz", 0);
    if (file < 0) return 0;
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    if (write(file, data, bytes) == (ssize_t)bytes) show_everything(path);
    close(file);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned int seed) {
    bytes = seed % 4 == 0 ? LLVMFuzzerMutate(data, bytes, most) : damage_trace(data, bytes, seed);
    if (seed % 8 != 0) damage_seals(data, bytes);
    return bytes;
}
