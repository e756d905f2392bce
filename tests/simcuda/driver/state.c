// The life of the driver in a process: cuInit, the injected library, the end at exit, and the child of a fork, in which
// CUDA can't be used.
#include "tests/simcuda/driver/config.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/driver.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { FRESH, READY, FORKED, EXITING };

static atomic_int state = FRESH;
static pthread_mutex_t device_mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
// Held during initialisation and injection; recursive, since the injected library may call cuInit.
static pthread_mutex_t init_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void sim_lock(void) {
    pthread_mutex_lock(&device_mutex);
}

void sim_unlock(void) {
    pthread_mutex_unlock(&device_mutex);
}

CUresult sim_ready(void) {
    switch (atomic_load_explicit(&state, memory_order_acquire)) {
    case READY:
        return CUDA_SUCCESS;
    case EXITING:
        return CUDA_ERROR_DEINITIALIZED;
    default:
        return CUDA_ERROR_NOT_INITIALIZED;
    }
}

static void at_exit(void) {
    atomic_store(&state, EXITING);
}

static void before_fork(void) {
    pthread_mutex_lock(&init_mutex);
    pthread_mutex_lock(&device_mutex);
}

static void after_fork(void) {
    pthread_mutex_unlock(&device_mutex);
    pthread_mutex_unlock(&init_mutex);
}

// A recursive mutex knows its owner by thread id, which is another one in the child: unlocking would be refused.
static void in_child(void) {
    device_mutex = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    init_mutex = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    atomic_store(&state, FORKED);
}

// As the real driver does: a missing library or function is ignored.
static void inject(void) {
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
    if (!library) return;
    int (*start)(void) = (int (*)(void))dlsym(library, "InitializeInjection");
    if (start) start();
}

CUresult sim_cuInit(unsigned int Flags) {
    if (Flags) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&init_mutex);
    CUresult result = sim_ready();
    if (atomic_load(&state) == FRESH) {
        result = sim_config()->visible_count ? sim_devices_create() : CUDA_ERROR_NO_DEVICE;
        if (result == CUDA_SUCCESS) {
            atexit(at_exit);
            pthread_atfork(before_fork, after_fork, in_child);
            atomic_store(&state, READY);
            inject();
        }
    }
    pthread_mutex_unlock(&init_mutex);
    return result;
}
