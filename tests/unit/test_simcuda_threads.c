// The simulated device under threads: sums stay exact, and no address is handed out twice.
#include "tests/unit/simcuda_test.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8, PAIRS = 20000 };

static atomic_int failures;

static void *pairs(void *argument) {
    size_t bytes = 512 * (1 + (size_t)(uintptr_t)argument);
    for (int i = 0; i < PAIRS; i++) {
        uintptr_t *block;
        if (cudaMalloc((void **)&block, bytes) != cudaSuccess) {
            atomic_fetch_add(&failures, 1);
            break;
        }
        *block = (uintptr_t)argument; // another thread with the same address would overwrite it
        atomic_fetch_add(&failures, *(volatile uintptr_t *)block != (uintptr_t)argument);
        atomic_fetch_add(&failures, cudaFree(block) != cudaSuccess);
    }
    return NULL;
}

static void *pool_pairs(void *argument) {
    cudaStream_t stream;
    atomic_fetch_add(&failures, cudaStreamCreate(&stream) != cudaSuccess);
    for (int i = 0; i < PAIRS; i++) {
        void *block;
        atomic_fetch_add(&failures, cudaMallocAsync(&block, 1000 + (size_t)(uintptr_t)argument, stream) != cudaSuccess);
        atomic_fetch_add(&failures, cudaFreeAsync(block, stream) != cudaSuccess);
    }
    atomic_fetch_add(&failures, cudaStreamDestroy(stream) != cudaSuccess);
    return NULL;
}

static void run(void *(*work)(void *)) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&failures), 0);
}

static void linear_pairs_leave_nothing(void **state) {
    (void)state;
    expect_growth(0, run(pairs));
}

static void pool_pairs_leave_nothing(void **state) {
    (void)state;
    cudaStream_t first;
    expect_ok(cudaStreamCreate(&first));
    expect_growth(0, {
        run(pool_pairs);
        expect_ok(cudaDeviceSynchronize());
    });
    expect_ok(cudaStreamDestroy(first));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_pairs_leave_nothing),
        cmocka_unit_test(pool_pairs_leave_nothing),
    };
    return cmocka_run_group_tests(tests, reset_device, NULL);
}
