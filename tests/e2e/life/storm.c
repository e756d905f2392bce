/*
 * Life of a process: four threads allocate and free without pause while the main thread does what takes locks that the
 * tracer's own work may want. Usage: storm fork N: N children, every other one runs another program; storm load N
 * LIBRARY: N times a library is loaded, allocates and is unloaded; storm exit N: it exits after N pairs, under the
 * threads. Prints how many pairs there were.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/coverage/driver.h"

#define THREADS 4

static CUcontext context;
static atomic_bool stop;
static atomic_ulong pairs;

// False when the driver has ended under the thread.
static bool pair(void) {
    CUdeviceptr address;

    if (cuMemAlloc(&address, 4096) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) return false;
    atomic_fetch_add(&pairs, 1);
    return true;
}

static void *work(void *unused) {
    (void)unused;
    CU(cuCtxSetCurrent(context));
    while (!stop && pair()) usleep(50);
    return NULL;
}

static int visit_child(int number) {
    int status;
    pid_t child = fork();

    if (child == 0) {
        if (number % 2) execl("/bin/true", "true", (char *)NULL);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int visit_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    CUresult (*allocate)(CUdeviceptr *) = library ? dlsym(library, "plugin_allocate") : NULL;
    CUdeviceptr address;

    if (!allocate || allocate(&address) != CUDA_SUCCESS) return 0;
    CU(cuMemFree(address));
    return dlclose(library) == 0;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    int rounds, done = 0;

    if (argc < 3) return 1;
    rounds = atoi(argv[2]);
    driver_open();
    CU(cuCtxGetCurrent(&context));
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, NULL) != 0) return 1;
    }
    if (strcmp(argv[1], "exit") == 0) {
        while (pairs < (unsigned long)rounds) usleep(100);
        ledger_fact("pairs", pairs);
        exit(0);
    }
    while (done < rounds && (argc > 3 ? visit_library(argv[3]) : visit_child(done))) done++;
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    ledger_fact("pairs", pairs);
    return done == rounds ? 0 : 1;
}
