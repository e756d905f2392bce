/*
 * Life of a process: THREADS threads, CONCURRENT at a time, each of which allocates 4096 bytes, frees them and ends.
 * Usage: threads THREADS. What a thread holds in the tracer must be given back when it ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/coverage/driver.h"

#define CONCURRENT 16

static CUcontext context;

static void *pair(void *unused) {
    CUdeviceptr address;

    (void)unused;
    CU(cuCtxSetCurrent(context));
    CU(cuMemAlloc(&address, 4096));
    CU(cuMemFree(address));
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[CONCURRENT];
    int count = argc > 1 ? atoi(argv[1]) : 1000;

    driver_open();
    CU(cuCtxGetCurrent(&context));
    for (int done = 0; done < count; done += CONCURRENT) {
        for (int i = 0; i < CONCURRENT; i++) {
            if (pthread_create(&threads[i], NULL, pair, NULL) != 0) return 1;
        }
        for (int i = 0; i < CONCURRENT; i++) pthread_join(threads[i], NULL);
    }
    return 0;
}
