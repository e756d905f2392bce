/* Checks of CUDA calls and kernel launches, for the sample programs.
 *
 * A sample ends at the first error it did not ask for, with the call and its place; there is nothing to clean up that
 * the end of the process does not. An error that is an answer (out of memory) is taken as a status and never comes
 * here.
 */
#pragma once

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static inline void cuda_check(cudaError_t status, const char *call, const char *file, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(status));
    exit(EXIT_FAILURE);
}

#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)

/* Right after a launch: a wrong grid or a kernel with no code for this device is reported here. */
#define LAUNCH_CHECK(kernel) cuda_check(cudaGetLastError(), "launch of " #kernel, __FILE__, __LINE__)
