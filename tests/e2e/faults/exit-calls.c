/*
 * Fault: calls that returned while another thread ran exit or quick_exit were missing and not counted.
 *   exit-calls exit|quick_exit FILE
 * Threads allocate and free 4096 bytes, and wait for the device, which is no event, while the process exits; FILE is a
 * number of 8 bytes, of the calls that allocated or freed and have returned. quick_exit is held up, behind the tracer's
 * end, until there are some hundred more.
 */
#include <cuda.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 1000 };

static CUcontext context;
static _Atomic(uint64_t) *returned;

static void wait_for(uint64_t more) {
    uint64_t enough = atomic_load(returned) + more;
    while (atomic_load(returned) < enough) sched_yield();
}

static void hold_up(void) {
    wait_for(CALLS);
}

static void *work(void *unused) {
    CUdeviceptr address;
    if (cuCtxSetCurrent(context) != CUDA_SUCCESS) return unused; // the driver has gone
    for (;;) {
        if (cuMemAlloc(&address, 4096) != CUDA_SUCCESS) return unused;
        atomic_fetch_add(returned, 1);
        if (cuMemFree(address) != CUDA_SUCCESS) return unused;
        atomic_fetch_add(returned, 1);
        if (cuCtxSynchronize() != CUDA_SUCCESS) return unused;
    }
}

int main(int argc, char **argv) {
    pthread_t thread;
    CUdevice device;
    int file = argc > 2 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *returned) != 0) return 1;
    returned = mmap(NULL, sizeof *returned, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (returned == MAP_FAILED) return 1;
    if (at_quick_exit(hold_up) != 0) return 1; // before the tracer's own, and so called after it
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device)) return 1;
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
    }
    wait_for(CALLS);
    if (strcmp(argv[1], "quick_exit") == 0) quick_exit(0);
    exit(0);
}
