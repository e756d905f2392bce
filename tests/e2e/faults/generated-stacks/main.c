// Allocates COUNT times from WALKS different random walks through the generated functions, and writes to the file
// "truth" who called: for each allocation how many callers there are, then their return addresses, the innermost first.
//   main SEED COUNT WALKS
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"

enum { DEPTH = 6, ALLOCATIONS = 6 };

static FILE *truth;
static unsigned long total;

__attribute__((noinline)) void allocate(struct calls *calls) {
    CUdeviceptr address;
    uint64_t line[CALLERS_MAX + 1] = {calls->depth + 1};
    if (cuMemAlloc(&address, 16 + total % 64) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) exit(1);
    line[1] = (uintptr_t)__builtin_return_address(0);
    for (unsigned i = 0; i < calls->depth; i++) line[2 + i] = calls->callers[calls->depth - 1 - i];
    if (fwrite(line, sizeof line[0], calls->depth + 2, truth) != calls->depth + 2) exit(1);
    if (calls->allocations > 0) calls->allocations--;
    total++;
}

__attribute__((noinline)) void fill(char *at) {
    *at = 1;
    BARRIER;
}

__attribute__((noinline)) void many(struct calls *calls, int depth, ...) {
    ENTER(calls);
    go_on(calls, depth);
    LEAVE(calls);
    BARRIER;
}

int main(int count, char **values) {
    CUdevice device;
    CUcontext context;
    if (count != 4 || !(truth = fopen("truth", "wb"))) return 1;
    unsigned long wanted = strtoul(values[2], NULL, 0);
    struct calls pick = {.number = strtoul(values[1], NULL, 0)};
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    while (total < wanted) {
        struct calls calls = {.number = draw(&pick, (unsigned)atoi(values[3])) * 7919u, .allocations = ALLOCATIONS};
        functions[draw(&calls, function_count)](&calls, 1 + (int)draw(&calls, DEPTH));
        BARRIER;
    }
    return fclose(truth) != 0;
}
