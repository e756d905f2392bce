/*
 * One process that uses two devices through the runtime: whose memory it is, whichever device is current when it comes
 * and goes, and from whichever thread. Built with the shared and with the static runtime.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tests/e2e/coverage/ledger.h"
#include "tests/e2e/devices/runtime.h"

static int each_its_own(void) {
    RUNTIME(cudaSetDevice(0));
    void *first = runtime_malloc(0, 1 * MIB);
    RUNTIME(cudaSetDevice(1));
    void *second = runtime_malloc(1, 2 * MIB);
    RUNTIME(cudaSetDevice(0));
    void *third = runtime_malloc(0, 4 * MIB);
    runtime_free(0, third, 4 * MIB);
    runtime_free(0, first, 1 * MIB);
    RUNTIME(cudaSetDevice(1));
    runtime_free(1, second, 2 * MIB);
    return 0;
}

// Memory is freed where it is, not where the program happens to be.
static int freed_elsewhere(void) {
    RUNTIME(cudaSetDevice(0));
    void *first = runtime_malloc(0, 3 * MIB);
    RUNTIME(cudaSetDevice(1));
    void *second = runtime_malloc(1, 5 * MIB);
    runtime_free(0, first, 3 * MIB);
    RUNTIME(cudaSetDevice(0));
    runtime_free(1, second, 5 * MIB);
    return 0;
}

// A device's reset ends its own memory only.
static int one_reset(void) {
    RUNTIME(cudaSetDevice(0));
    void *kept = runtime_malloc(0, 2 * MIB);
    RUNTIME(cudaSetDevice(1));
    runtime_malloc(1, 6 * MIB);
    RUNTIME(cudaDeviceReset());
    ledger_minus(6 * MIB, "device", "cuDevicePrimaryCtxReset");
    RUNTIME(cudaSetDevice(0));
    runtime_free(0, kept, 2 * MIB);
    return 0;
}

static void *asynchronous(unsigned device, cudaStream_t stream, uint64_t bytes) {
    void *memory;

    RUNTIME(cudaMallocAsync(&memory, bytes, stream));
    ledger_device(device);
    ledger_plus(bytes, "pool", "cuMemAllocAsync");
    return memory;
}

static void free_asynchronous(unsigned device, cudaStream_t stream, void *memory, uint64_t bytes) {
    RUNTIME(cudaFreeAsync(memory, stream));
    ledger_device(device);
    ledger_minus(bytes, "pool", "cuMemFreeAsync");
    RUNTIME(cudaStreamSynchronize(stream));
}

// Each device's default pool, through a stream of each.
static int default_pools(void) {
    cudaStream_t streams[2];
    void *memory[2];

    for (int device = 0; device < 2; device++) {
        RUNTIME(cudaSetDevice(device));
        RUNTIME(cudaStreamCreate(&streams[device]));
        memory[device] = asynchronous((unsigned)device, streams[device], (uint64_t)(device + 1) * 10 * MIB);
    }
    for (int device = 0; device < 2; device++) {
        RUNTIME(cudaSetDevice(device));
        free_asynchronous((unsigned)device, streams[device], memory[device], (uint64_t)(device + 1) * 10 * MIB);
        RUNTIME(cudaStreamDestroy(streams[device]));
    }
    return 0;
}

// Memory asked for in a stream of the other device is that device's, and outlives a reset of the current one.
static int foreign_stream(void) {
    cudaStream_t stream;

    RUNTIME(cudaSetDevice(1));
    RUNTIME(cudaStreamCreate(&stream));
    RUNTIME(cudaSetDevice(0));
    runtime_malloc(0, 1 * MIB);
    void *here = asynchronous(0, 0, 3 * MIB);
    void *there = asynchronous(1, stream, 5 * MIB);
    free_asynchronous(0, 0, here, 3 * MIB);
    RUNTIME(cudaDeviceReset());
    ledger_minus(1 * MIB, "device", "cuDevicePrimaryCtxReset");
    RUNTIME(cudaSetDevice(1));
    free_asynchronous(1, stream, there, 5 * MIB);
    RUNTIME(cudaStreamDestroy(stream));
    return 0;
}

// The current device is a thread's own; the barrier keeps the threads in turn, so that the order is known.
static pthread_barrier_t turn;

static void *on_device_0(void *unused) {
    RUNTIME(cudaSetDevice(0));
    pthread_barrier_wait(&turn);
    void *memory = runtime_malloc(0, 7 * MIB);
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    runtime_free(0, memory, 7 * MIB);
    return unused;
}

static void *on_device_1(void *unused) {
    RUNTIME(cudaSetDevice(1));
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    void *memory = runtime_malloc(1, 9 * MIB);
    runtime_free(1, memory, 9 * MIB);
    pthread_barrier_wait(&turn);
    return unused;
}

static int a_thread_each(void) {
    pthread_t threads[2];

    if (pthread_barrier_init(&turn, NULL, 2)) return 1;
    if (pthread_create(&threads[0], NULL, on_device_0, NULL)) return 1;
    if (pthread_create(&threads[1], NULL, on_device_1, NULL)) return 1;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}

static const struct ledger_row rows[] = {
    {"each-its-own", each_its_own},   {"freed-elsewhere", freed_elsewhere}, {"one-reset", one_reset},
    {"default-pools", default_pools}, {"foreign-stream", foreign_stream},   {"a-thread-each", a_thread_each},
};
LEDGER_MAIN(rows)
