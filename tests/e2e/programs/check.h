// What the end-to-end programs share: a CUDA call that must succeed, or the program ends with exit code 99.
#ifndef MEMTRACE_TESTS_E2E_PROGRAMS_CHECK_H
#define MEMTRACE_TESTS_E2E_PROGRAMS_CHECK_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t result_ = (call);                                                                                  \
        if (result_ != cudaSuccess) {                                                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(result_));                \
            exit(99);                                                                                                  \
        }                                                                                                              \
    } while (0)

#endif
