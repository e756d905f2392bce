/*
 * Fault: an event took 13.5 KiB of the caller's stack.
 *   stack-need measure      prints how much stack a thread's calls took, as often as they may differ
 *   stack-need thread       allocates 4444 bytes on a thread of the smallest size that there is
 *   stack-need signal       allocates 5555 bytes in a handler on a signal stack of that size
 *   stack-need coroutine    allocates 7777 and 8888 bytes in a coroutine of that size, and looks whether it held
 * The last three start CUDA there, too.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <limits.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { SMALL = 16384, LARGE = 1 << 20, PAINT = 0xa5, PAIRS = 10000 };

static void take(size_t bytes) {
    CUdevice device;
    CUcontext context;
    CUdeviceptr address;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) exit(1);
    if (cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS) exit(1);
    if (cuCtxSetCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&address, bytes) != CUDA_SUCCESS) exit(1);
}

static char *paint(size_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) exit(1);
    return memset(memory, PAINT, bytes);
}

static size_t painted(const char *memory, size_t bytes) {
    size_t i = 0;
    while (i < bytes && memory[i] == (char)PAINT) i++;
    return i;
}

static void run(void *(*work)(void *), char *stack, size_t bytes) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, bytes) != 0) exit(1);
    if (pthread_create(&thread, &attributes, work, NULL) != 0) exit(1);
    pthread_join(thread, NULL);
}

static void measure(const char *what, void *(*work)(void *)) {
    char *stack = paint(LARGE);
    run(work, stack, LARGE);
    printf("%s %zu\n", what, LARGE - painted(stack, LARGE));
}

static void *several(void *unused) {
    CUdeviceptr address;
    take(1000);
    for (int i = 0; i < 3; i++) {
        if (cuMemAlloc(&address, 2000) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) exit(1);
    }
    if (cuMemAllocAsync(&address, 100, NULL) != CUDA_SUCCESS || cuMemFreeAsync(address, NULL) != CUDA_SUCCESS) exit(1);
    return unused;
}

// So many that the trace needs another chunk.
static void *many(void *unused) {
    CUdeviceptr address;
    take(1000);
    for (int i = 0; i < PAIRS; i++) {
        if (cuMemAlloc(&address, 2000) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) exit(1);
    }
    return unused;
}

static void *annotate(void *unused) {
    nvtxRangePushA("range");
    nvtxMarkA("mark");
    nvtxRangePop();
    return unused;
}

static void *unload(void *library) {
    library = dlopen("libm.so.6", RTLD_NOW);
    if (library) dlclose(library);
    return NULL;
}

static void measure_all(void) {
    measure("first", several);
    measure("thread", several);
    measure("again", several);
    measure("many", many);
    nvtxMarkA("NVTX begins");
    measure("nvtx", annotate);
    measure("dlclose", unload);
}

static void *small_thread(void *unused) {
    take(4444);
    return unused;
}

static void on_signal(int number) {
    (void)number;
    take(5555);
}

static void signal_stack(void) {
    static char memory[SMALL];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) exit(1);
    raise(SIGUSR1);
}

static ucontext_t outside, inside;

static void coroutine_body(void) {
    take(7777);
    swapcontext(&inside, &outside);
    take(8888);
}

static void coroutine(void) {
    char *memory = paint(2 * SMALL);
    getcontext(&inside);
    inside.uc_stack.ss_sp = memory + SMALL;
    inside.uc_stack.ss_size = SMALL;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine_body, 0);
    swapcontext(&outside, &inside);
    take(9999);
    swapcontext(&outside, &inside);
    if (painted(memory, SMALL) != SMALL) exit(2);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "measure") == 0) measure_all();
    if (strcmp(what, "thread") == 0) run(small_thread, paint(SMALL), SMALL);
    if (strcmp(what, "signal") == 0) signal_stack();
    if (strcmp(what, "coroutine") == 0) coroutine();
    return 0;
}
