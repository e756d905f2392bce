/*
 * Eight threads allocate at once and free each other's blocks: every new block is put into one of three shared slots,
 * and whoever finds an older block there frees it. Addresses are so reused across threads all the time, and three
 * blocks are live at the end. Prints its own ledger: blocks and bytes allocated, and left.
 *   threads async|malloc PAIRS_PER_THREAD
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "tests/e2e/programs/check.h"

enum { THREADS = 8, SLOTS = 3 };

struct block {
    void *address;
    size_t bytes;
};

static _Atomic(struct block *) slots[SLOTS];
static bool async;
static long pairs;

static struct block *block_create(size_t bytes) {
    struct block *block = malloc(sizeof(*block));
    block->bytes = bytes;
    CHECK(async ? cudaMallocAsync(&block->address, bytes, 0) : cudaMalloc(&block->address, bytes));
    return block;
}

static void block_destroy(struct block *block) {
    CHECK(async ? cudaFreeAsync(block->address, 0) : cudaFree(block->address));
    free(block);
}

static size_t block_bytes(size_t thread) {
    return (thread + 1) * 4096;
}

static void *work(void *argument) {
    const size_t thread = (size_t)argument;
    for (long i = 0; i < pairs; i++) {
        struct block *block = block_create(block_bytes(thread));
        struct block *older = atomic_exchange(&slots[i % SLOTS], block);
        if (older) block_destroy(older);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    async = !strcmp(argv[1], "async");
    pairs = atol(argv[2]);
    CHECK(cudaFree(0));

    pthread_t threads[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, work, (void *)t)) return 1;
    unsigned long long allocated = 0, live = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        allocated += block_bytes(t) * (unsigned long long)pairs;
    }
    for (int i = 0; i < SLOTS; i++) live += atomic_load(&slots[i])->bytes;
    printf("allocated %ld blocks %llu bytes\n", THREADS * pairs, allocated);
    printf("live %d blocks %llu bytes\n", SLOTS, live);
    return 0;
}
