/*
 * Fault: a thread that used CUDA in the C library's last round of destructors left its part of the trace behind.
 *   thread-cost short|late|last THREADS
 * Threads, one after the other, that allocate and free 4096 bytes: in their function; in each of the four rounds of
 * destructors after it; or in the last of them alone. Prints how many mappings the process has in the end.
 */
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 }; // PTHREAD_DESTRUCTOR_ITERATIONS of glibc

static CUcontext context;
static pthread_key_t key;
static const char *when;

static void pair(void) {
    CUdeviceptr address;
    if (cuCtxSetCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&address, 4096) != CUDA_SUCCESS) exit(1);
    if (cuMemFree(address) != CUDA_SUCCESS) exit(1);
}

static void destroy(void *argument) {
    int *round = argument;
    ++*round;
    if (strcmp(when, "late") == 0 || (strcmp(when, "last") == 0 && *round == ROUNDS)) pair();
    if (*round < ROUNDS) pthread_setspecific(key, round);
}

static void *work(void *round) {
    pthread_setspecific(key, round);
    if (strcmp(when, "last") != 0) pair();
    return NULL;
}

static int mappings(void) {
    int lines = 0, c;
    FILE *file = fopen("/proc/self/maps", "r");
    if (!file) exit(1);
    while ((c = fgetc(file)) != EOF) lines += c == '\n';
    fclose(file);
    return lines;
}

int main(int argc, char **argv) {
    CUdevice device;
    int count = argc > 2 ? atoi(argv[2]) : 0;
    when = argc > 1 ? argv[1] : "";
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device)) return 1;
    if (pthread_key_create(&key, destroy) != 0) return 1;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        int round = 0;
        if (pthread_create(&thread, NULL, work, &round) != 0) return 1;
        pthread_join(thread, NULL);
    }
    printf("%d\n", mappings());
    return 0;
}
