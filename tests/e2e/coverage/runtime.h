/*
 * The check that programs on the runtime put around its calls: the first that fails ends the program.
 */
#ifndef MEMTRACE_E2E_RUNTIME_H
#define MEMTRACE_E2E_RUNTIME_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNTIME(call) runtime_expect((call), #call, __FILE__, __LINE__)

static inline void runtime_expect(cudaError_t got, const char *call, const char *file, int line) {
    if (got == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s answered %d\n", file, line, call, (int)got);
    exit(1);
}

#endif
