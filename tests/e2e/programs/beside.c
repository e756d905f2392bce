/*
 * A program that takes turns with another one on the same device: `beside STEP...`.
 *   context      CUDA is ready, which takes memory
 *   stream       a stream, which is never destroyed
 *   take:MIB     an allocation
 *   give         the latest is freed
 *   go           the other one's turn: a line to stdout
 *   wait         this one's turn comes: a line from stdin, or its end
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *block;

static cudaError_t run(const char *step) {
    cudaStream_t stream;
    char line[8];
    if (strcmp(step, "context") == 0) return cudaFree(NULL);
    if (strcmp(step, "stream") == 0) return cudaStreamCreate(&stream);
    if (strncmp(step, "take:", 5) == 0) return cudaMalloc(&block, (size_t)atoi(step + 5) << 20);
    if (strcmp(step, "give") == 0) return cudaFree(block);
    if (strcmp(step, "go") == 0) {
        puts("go");
        fflush(stdout);
    } else if (strcmp(step, "wait") != 0) {
        return cudaErrorInvalidValue;
    } else if (!fgets(line, sizeof line, stdin)) {
        return cudaSuccess;
    }
    return cudaSuccess;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        cudaError_t error = run(argv[i]);
        if (error == cudaSuccess) continue;
        fprintf(stderr, "%s: %s\n", argv[i], cudaGetErrorString(error));
        return 1;
    }
    return 0;
}
