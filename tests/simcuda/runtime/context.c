// The runtime's implicit state: the driver is initialised at the first call, each device's primary context retained
// when first needed, and made current to a thread that has none.
#include "tests/simcuda/runtime/runtime.h"
#include <pthread.h>

enum { MAX_DEVICES = 16 };

static CUcontext retained[MAX_DEVICES];  // NULL: not retained, or reset since
static CUcontext primaries[MAX_DEVICES]; // the handles ever seen
// Recursive: a profiler that is called back from the driver below may call the runtime.
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local int thread_device;
static _Thread_local cudaError_t last_error;

cudaError_t rt_remember(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
    return error;
}

cudaError_t rt_cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t rt_cudaPeekAtLastError(void) {
    return last_error;
}

int rt_device(void) {
    return thread_device;
}

static cudaError_t initialise(void) {
    int version = 0;
    if (!rt_bridge()) return cudaErrorInsufficientDriver;
    rt_driver()->cuDriverGetVersion(&version);
    if (version < CUDART_VERSION / 1000 * 1000) return cudaErrorInsufficientDriver;
    return rt_error(rt_driver()->cuInit(0));
}

cudaError_t rt_context_of(int device, CUcontext *context) {
    if (device < 0 || device >= MAX_DEVICES) return cudaErrorInvalidDevice;
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&mutex);
    if (!retained[device]) error = rt_error(rt_driver()->cuDevicePrimaryCtxRetain(&retained[device], device));
    if (error == cudaSuccess) *context = primaries[device] = retained[device];
    pthread_mutex_unlock(&mutex);
    return error == (cudaError_t)CUDA_ERROR_INVALID_DEVICE ? cudaErrorInvalidDevice : error;
}

// At exit, as the real runtime does: for the driver, which has gone already, a call that it refuses.
__attribute__((destructor)) static void release_contexts(void) {
    for (int i = 0; i < MAX_DEVICES; i++) {
        if (retained[i]) rt_driver()->cuDevicePrimaryCtxRelease(i);
    }
}

// True for a primary context that was reset.
static bool is_stale(CUcontext context) {
    bool stale = false;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MAX_DEVICES; i++) stale |= primaries[i] == context && !retained[i];
    pthread_mutex_unlock(&mutex);
    return stale;
}

static cudaError_t use_context(void) {
    CUcontext context = NULL;
    rt_driver()->cuCtxGetCurrent(&context);
    if (context && !is_stale(context)) return cudaSuccess;
    cudaError_t error = rt_context_of(thread_device, &context);
    return error == cudaSuccess ? rt_error(rt_driver()->cuCtxSetCurrent(context)) : error;
}

cudaError_t rt_prepare(enum rt_need need) {
    cudaError_t error = need == NONE ? cudaSuccess : initialise();
    return error == cudaSuccess && need == CONTEXT ? use_context() : error;
}

cudaError_t rt_cudaSetDevice(int device) {
    CUcontext context;
    cudaError_t error = rt_context_of(device, &context);
    if (error == cudaSuccess) error = rt_error(rt_driver()->cuCtxSetCurrent(context));
    if (error == cudaSuccess) thread_device = device;
    return error;
}

cudaError_t rt_cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
    (void)deviceFlags;
    (void)flags;
    CUcontext context;
    return rt_context_of(device, &context);
}

cudaError_t rt_cudaGetDevice(int *device) {
    if (!device) return cudaErrorInvalidValue;
    // A context that the program made current through the driver decides.
    CUdevice current;
    CUcontext context = NULL;
    rt_driver()->cuCtxGetCurrent(&context);
    bool known = context && !is_stale(context) && rt_driver()->cuCtxGetDevice(&current) == CUDA_SUCCESS;
    *device = known ? current : thread_device;
    return cudaSuccess;
}

cudaError_t rt_cudaDeviceReset(void) {
    int device;
    cudaError_t error = rt_cudaGetDevice(&device);
    if (error != cudaSuccess) return error;
    pthread_mutex_lock(&mutex);
    bool was = retained[device];
    retained[device] = NULL;
    pthread_mutex_unlock(&mutex);
    return was ? rt_error(rt_driver()->cuDevicePrimaryCtxReset(device)) : cudaSuccess;
}

cudaError_t rt_cudaDeviceSynchronize(void) {
    return rt_error(rt_driver()->cuCtxSynchronize());
}
