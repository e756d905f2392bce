/*
 * Four threads allocate and free without end; the first ends the whole process by SIGKILL after PAIRS pairs. How many
 * pairs each had finished stands in the file PROGRESS (four 64-bit numbers), a shared mapping, so it survives the kill:
 * the trace must hold every one of them, and at most one more a thread.
 *   killed PAIRS PROGRESS
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/e2e/programs/check.h"

enum { THREADS = 4 };

static _Atomic uint64_t *finished; // [THREADS]
static uint64_t pairs;

static void *work(void *argument) {
    const size_t thread = (size_t)argument;
    for (;;) {
        void *block;
        CHECK(cudaMallocAsync(&block, (thread + 1) * 4096, 0));
        CHECK(cudaFreeAsync(block, 0));
        if (atomic_fetch_add(&finished[thread], 1) + 1 == pairs && thread == 0) kill(getpid(), SIGKILL);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    pairs = strtoull(argv[1], NULL, 10);
    const int file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || ftruncate(file, THREADS * sizeof(*finished))) return 1;
    finished = mmap(NULL, THREADS * sizeof(*finished), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (finished == MAP_FAILED) return 1;
    CHECK(cudaFree(0));

    pthread_t other;
    for (size_t t = 1; t < THREADS; t++)
        if (pthread_create(&other, NULL, work, (void *)t)) return 1;
    work((void *)0);
    return 1;
}
