/*
 * Threads that allocate and free while a shell command does something to the trace; then the program makes a bus error
 * of its own.
 *   trace-cut HANDLER COMMAND PAIRS
 * HANDLER: its own for SIGBUS is set before CUDA starts (`before`), after it by sigaction (`after`) or signal
 * (`signal`), or not at all (`default`: its bus error kills). `blocked`: as before, and the threads block all signals.
 * The file PAIRS gets how many pairs of calls were made.
 */
#include <cuda.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 8, PAIRS = 3000 };

static CUcontext context;
static atomic_bool command_done, blocks_signals;
static atomic_long pairs;
static pthread_barrier_t barrier;
static sigjmp_buf back;
static const void *volatile fault_address;

static void check(CUresult result) {
    if (result == CUDA_SUCCESS) return;
    fprintf(stderr, "error %d\n", (int)result);
    exit(1);
}

static void work_once(void) {
    CUdeviceptr address;
    check(cuMemAlloc(&address, 4096));
    check(cuMemFree(address));
    atomic_fetch_add(&pairs, 1);
}

static void *work(void *unused) {
    sigset_t all;
    sigfillset(&all);
    if (blocks_signals) pthread_sigmask(SIG_BLOCK, &all, NULL);
    check(cuCtxSetCurrent(context));
    for (int i = 0; i < PAIRS; i++) work_once();
    pthread_barrier_wait(&barrier);
    while (!command_done) work_once();
    for (int i = 0; i < PAIRS; i++) work_once();
    return unused;
}

static void on_bus_error(int number, siginfo_t *info, void *unused) {
    (void)number, (void)unused;
    fault_address = info->si_addr;
    siglongjmp(back, 1);
}

static void on_bus_error_plain(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static void set_handler(void) {
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

static char *map_cut_file(void) {
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), 4096) != 0) exit(1);
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (page == MAP_FAILED || ftruncate(fileno(file), 0) != 0) exit(1);
    return page;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    struct sigaction now;
    CUdevice device;
    if (argc != 4) return 1;
    const char *handler = argv[1];
    blocks_signals = strcmp(handler, "blocked") == 0;
    if (strcmp(handler, "before") == 0 || blocks_signals) set_handler();
    check(cuInit(0));
    check(cuDeviceGet(&device, 0));
    check(cuDevicePrimaryCtxRetain(&context, device));
    if (strcmp(handler, "after") == 0) set_handler();
    if (strcmp(handler, "signal") == 0 && signal(SIGBUS, on_bus_error_plain) != SIG_DFL) return 2;

    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    printf("command %d\n", system(argv[2]));
    command_done = true;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    FILE *file = fopen(argv[3], "w");
    if (!file) return 1;
    fprintf(file, "%ld\n", pairs);
    fclose(file);

    sigaction(SIGBUS, NULL, &now);
    printf("its handler %d\n", now.sa_sigaction == on_bus_error || now.sa_handler == on_bus_error_plain);
    fflush(stdout);
    char *page = map_cut_file();
    if (sigsetjmp(back, 1) == 0) *(volatile char *)page = 1;
    printf("its bus error, address %d\n", fault_address == page);
    return 0;
}
