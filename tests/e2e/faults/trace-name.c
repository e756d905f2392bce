/*
 * A process of a family, that does what its arguments say, in this order:
 *   count         initialises CUDA and counts the devices, as launchers do
 *   alloc=N       allocates N MiB
 *   run=COMMAND   runs a shell command and waits for it
 *   start=COMMAND runs it beside; it ends before this process does
 *   fork=N        a child allocates N MiB, and is waited for
 *   tell=FIFO     meets the process that does listen=FIFO
 *   exec=COMMAND  becomes it
 */
#include <cuda.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(bool is_well, const char *what) {
    if (is_well) return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

static void count(void) {
    int devices;
    check(cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&devices) == CUDA_SUCCESS, "count");
}

static void allocate(size_t mib) {
    CUcontext context;
    CUdeviceptr address;
    count();
    check(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS, "context");
    check(cuCtxSetCurrent(context) == CUDA_SUCCESS && cuMemAlloc(&address, mib << 20) == CUDA_SUCCESS, "allocation");
}

static void fork_and_allocate(size_t mib) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        allocate(mib);
        exit(0);
    }
    check(waitpid(child, &status, 0) == child && status == 0, "child");
}

static void act(const char *action) {
    const char *value = strchr(action, '=');
    char byte = 0;
    value = value ? value + 1 : "";
    if (strncmp(action, "count", 5) == 0) count();
    if (strncmp(action, "alloc", 5) == 0) allocate((size_t)atol(value));
    if (strncmp(action, "run", 3) == 0) check(system(value) == 0, value);
    if (strncmp(action, "fork", 4) == 0) fork_and_allocate((size_t)atol(value));
    if (strncmp(action, "tell", 4) == 0) check(write(open(value, O_WRONLY), "x", 1) == 1, value);
    if (strncmp(action, "listen", 6) == 0) check(read(open(value, O_RDONLY), &byte, 1) == 1, value);
    if (strncmp(action, "exec", 4) == 0) execl("/bin/sh", "sh", "-c", value, (char *)NULL);
    if (strncmp(action, "start", 5) == 0 && fork() == 0) execl("/bin/sh", "sh", "-c", value, (char *)NULL);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) act(argv[i]);
    while (wait(NULL) > 0) {
    }
    return 0;
}
