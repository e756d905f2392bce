/*
 * Public case (cupy#4282, pytorch#94893): a cache of FFT plans looks like a leak. Three sizes are planned once and used
 * in turn for 30 steps; each step's own data is freed.
 */
#include <cufft.h>

#include "tests/e2e/coverage/ledger.h"
#include "tests/e2e/coverage/runtime.h"

#define SIZES 3

int main(void) {
    static const int lengths[SIZES] = {1000003, 1 << 20, 1500007}; // two primes, for which cuFFT needs a workspace
    cufftHandle plans[SIZES];
    cufftComplex *data; // [length]

    for (int i = 0; i < SIZES; i++) {
        if (cufftPlan1d(&plans[i], lengths[i], CUFFT_C2C, 1) != CUFFT_SUCCESS) return 1;
    }
    for (int step = 0; step < 30; step++) {
        int i = step % SIZES;
        RUNTIME(cudaMalloc((void **)&data, lengths[i] * sizeof *data));
        if (cufftExecC2C(plans[i], data, data, CUFFT_FORWARD) != CUFFT_SUCCESS) return 1;
        RUNTIME(cudaDeviceSynchronize());
        RUNTIME(cudaFree(data));
    }
    ledger_end();
    return 0;
}
