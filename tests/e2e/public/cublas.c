/*
 * Public case (pytorch#95668): one product leaves memory that nobody asked for. The program allocates three matrices of
 * 256 x 256 floats; whatever else is live is cuBLAS's.
 */
#include <cublas_v2.h>

#include "tests/e2e/coverage/ledger.h"
#include "tests/e2e/coverage/runtime.h"

#define SIDE  256
#define BYTES (SIDE * SIDE * sizeof(float))

int main(void) {
    const float one = 1, zero = 0;
    cublasHandle_t handle;
    float *a, *b, *c; // [SIDE, SIDE]

    RUNTIME(cudaMalloc((void **)&a, BYTES));
    RUNTIME(cudaMalloc((void **)&b, BYTES));
    RUNTIME(cudaMalloc((void **)&c, BYTES));
    for (int i = 0; i < 3; i++) ledger_plus(BYTES, "device", "cuMemAlloc_v2");
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    for (int i = 0; i < 5; i++) {
        if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, SIDE, SIDE, SIDE, &one, a, SIDE, b, SIDE, &zero, c, SIDE) !=
            CUBLAS_STATUS_SUCCESS)
            return 1;
    }
    RUNTIME(cudaDeviceSynchronize());
    ledger_end();
    return 0;
}
