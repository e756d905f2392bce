/*
 * A pool with a mutex around the driver's calls, as frameworks have, and a plug-in whose initialiser wants that mutex
 * while the loader's lock is held. In each round the worker holds the pool, waits until the initialiser runs, and then
 * makes calls: whatever a tracer does there that needs the loader's lock never comes back. In the last round it is no
 * initialiser, but a callback of dl_iterate_phdr, which has a lock of its own.
 *   pool PLUG-IN
 */
#include <cuda.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/faults/loader/shim.h"

enum { DEPTH = 9 };

static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;
static sem_t next, held, inside;
static CUdevice device;
static CUcontext context;

void use_pool(void);

static void must(CUresult result) {
    if (result == CUDA_SUCCESS) return;
    fprintf(stderr, "the driver answered %d\n", (int)result);
    abort();
}

static void watch(bool on) {
    if (loader_shim_watch) loader_shim_watch(on);
}

static void allocate(size_t bytes) {
    CUdeviceptr address;
    must(cuMemAlloc(&address, bytes));
    must(cuMemFree(address));
}

static void use_memory(void) {
    CUdeviceptr address;
    size_t pitch;
    allocate(1000);
    must(cuMemAllocPitch(&address, &pitch, 1000, 10, 4));
    must(cuMemFree(address));
    must(cuMemAllocManaged(&address, 2000, CU_MEM_ATTACH_GLOBAL));
    must(cuMemFree(address));
}

static void use_host(void) {
    void *host;
    must(cuMemAllocHost(&host, 3000));
    must(cuMemFreeHost(host));
}

static void use_streams(void) {
    CUstream stream;
    CUdeviceptr address;
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cuMemAllocAsync(&address, 4000, stream));
    must(cuMemFreeAsync(address, stream));
    must(cuStreamSynchronize(stream));
    must(cuStreamDestroy(stream));
}

// The first context of its kind: how much memory the process has is asked then.
static void use_contexts(void) {
    CUcontext other;
    must(cuDevicePrimaryCtxRetain(&other, device));
    must(cuDevicePrimaryCtxRelease(device));
}

// Calls that fail, by functions of the driver that were not called before.
static void fail(void) {
    CUdeviceptr address;
    if (cuMemAlloc(&address, (size_t)1 << 60) == CUDA_SUCCESS) abort();
    if (cuArrayDestroy(NULL) == CUDA_SUCCESS) abort();
    if (cuModuleUnload(NULL) == CUDA_SUCCESS) abort();
}

static void look_up(void) {
    void *found = NULL;
    CUdriverProcAddressQueryResult status;
    must(cuGetProcAddress("cuMemAlloc", &found, 12000, 0, &status));
    if (!found) abort();
}

// A stack for each number.
static __attribute__((noinline)) void descend(unsigned number, int depth) {
    volatile unsigned kept = number;
    if (depth == 0) {
        allocate(100);
    } else if (number & 1) {
        descend(number >> 1, depth - 1);
    } else {
        descend(number >> 1, depth - 1);
        kept++;
    }
    (void)kept;
}

static void use_new_stacks(void) {
    for (unsigned number = 0; number < 1u << DEPTH; number++) descend(number, DEPTH);
}

static void *be_new(void *unused) {
    must(cuCtxSetCurrent(context));
    allocate(5000);
    return unused;
}

static void use_a_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, be_new, NULL) != 0) abort();
    pthread_join(thread, NULL);
}

static void (*const rounds[])(void) = {use_memory,     use_host, use_streams,    use_contexts, fail,      look_up,
                                       use_new_stacks, use_host, use_new_stacks, use_a_thread, use_memory};
enum { ROUNDS = sizeof rounds / sizeof rounds[0] };

static void *work(void *unused) {
    must(cuCtxSetCurrent(context));
    for (int round = 0; round < ROUNDS; round++) {
        sem_wait(&next);
        pthread_mutex_lock(&pool);
        sem_post(&held);
        sem_wait(&inside);
        watch(true);
        rounds[round]();
        watch(false);
        pthread_mutex_unlock(&pool);
    }
    return unused;
}

void use_pool(void) {
    sem_post(&inside);
    pthread_mutex_lock(&pool);
    watch(true);
    allocate(6000);
    watch(false);
    pthread_mutex_unlock(&pool);
}

static int in_callback(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)info, (void)bytes, (void)unused;
    use_pool();
    return 1;
}

static void begin_round(void) {
    sem_post(&next);
    sem_wait(&held);
}

int main(int argc, char **argv) {
    pthread_t worker;
    if (argc != 2) return 2;
    sem_init(&next, 0, 0);
    sem_init(&held, 0, 0);
    sem_init(&inside, 0, 0);
    must(cuInit(0));
    must(cuDeviceGet(&device, 0));
    must(cuDevicePrimaryCtxRetain(&context, device));
    must(cuCtxSetCurrent(context));
    if (pthread_create(&worker, NULL, work, NULL) != 0) return 1;
    for (int round = 1; round < ROUNDS; round++) {
        begin_round();
        void *plugin = dlopen(argv[1], RTLD_NOW);
        if (!plugin) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        dlclose(plugin);
    }
    begin_round();
    dl_iterate_phdr(in_callback, NULL);
    pthread_join(worker, NULL);
    if (loader_shim_entered) printf("entered %s\n", loader_shim_entered() ? "outside of events" : "never");
    puts("done");
    return 0;
}
