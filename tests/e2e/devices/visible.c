/*
 * Which devices a process sees, and what it does on one of them: prints "device ORDINAL GPU-UUID" for each, then has
 * 3 MiB on device 0, or on that of LOCAL_RANK, as the ranks of a training run do.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/coverage/ledger.h"
#include "tests/e2e/devices/runtime.h"

static void print_uuid(int device) {
    struct cudaDeviceProp properties;

    RUNTIME(cudaGetDeviceProperties(&properties, device));
    printf("device %d GPU", device);
    for (int i = 0; i < 16; i++) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) putchar('-');
        printf("%02x", (unsigned char)properties.uuid.bytes[i]);
    }
    putchar('\n');
}

int main(void) {
    const char *rank = getenv("LOCAL_RANK");
    int count, device = rank ? atoi(rank) : 0;

    RUNTIME(cudaGetDeviceCount(&count));
    for (int i = 0; i < count; i++) print_uuid(i);
    if (device >= count) return 1;
    RUNTIME(cudaSetDevice(device));
    runtime_free((unsigned)device, runtime_malloc((unsigned)device, 3 * MIB), 3 * MIB);
    runtime_malloc((unsigned)device, 5 * MIB);
    ledger_end();
    return 0;
}
