/*
 * Public case (cufinufft#74): a plan whose destructor forgets one of its device buffers.
 */
#include "tests/e2e/coverage/ledger.h"
#include "tests/e2e/coverage/runtime.h"

struct plan {
    float *weights;   // [1 Mi]
    float *positions; // [256 Ki]
};

static __attribute__((noinline)) void plan_create(struct plan *plan) {
    RUNTIME(cudaMalloc((void **)&plan->weights, 4 * MIB));
    RUNTIME(cudaMalloc((void **)&plan->positions, 1 * MIB)); // the line that the report must name
    ledger_plus(4 * MIB, "device", "cuMemAlloc_v2");
    ledger_plus(1 * MIB, "device", "cuMemAlloc_v2");
}

static __attribute__((noinline)) void plan_destroy(struct plan *plan) {
    RUNTIME(cudaFree(plan->weights));
    ledger_minus(4 * MIB, "device", "cuMemFree_v2");
}

int main(void) {
    struct plan plan;

    for (int i = 0; i < 3; i++) {
        plan_create(&plan);
        plan_destroy(&plan);
    }
    ledger_end();
    return 0;
}
