/*
 * The runtime as the programs on several devices use it. See runtime.h.
 */
#include "tests/e2e/devices/runtime.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/coverage/ledger.h"

void runtime_expect(cudaError_t answer, const char *call, const char *file, int line) {
    if (answer == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s answered %d\n", file, line, call, (int)answer);
    exit(1);
}

void *runtime_malloc(unsigned device, uint64_t bytes) {
    void *memory;

    RUNTIME(cudaMalloc(&memory, bytes));
    ledger_device(device);
    ledger_plus(bytes, "device", "cuMemAlloc_v2");
    return memory;
}

void runtime_free(unsigned device, void *memory, uint64_t bytes) {
    RUNTIME(cudaFree(memory));
    ledger_device(device);
    ledger_minus(bytes, "device", "cuMemFree_v2");
}

int runtime_are_peers(void) {
    int there = 0, back = 0;

    RUNTIME(cudaDeviceCanAccessPeer(&there, 0, 1));
    RUNTIME(cudaDeviceCanAccessPeer(&back, 1, 0));
    return there && back;
}
