/*
 * Stands in for libnvidia-ml.so.1 beside the simulated device. Where processes share that (SIMCUDA_SHARED), it tells
 * what each uses of device 0. Otherwise a test says what it tells of this process: FAKE_NVML_USED=N,N,… are the bytes
 * it uses, question by question; the last one goes on.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/simcuda/shared.h"

struct process_info {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

int nvmlInit_v2(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process_info *infos);

static int only; // its address stands for the device

int nvmlInit_v2(void) {
    return 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    *device = &only;
    return strncmp(uuid, "GPU-", 4) != 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) {
    *device = &only;
    return strchr(bus, ':') == NULL;
}

static unsigned long long next_figure(void) {
    static const char *rest;
    if (!rest) rest = getenv("FAKE_NVML_USED");
    if (!rest) return 0;
    char *end;
    unsigned long long figure = strtoull(rest, &end, 10);
    if (*end == ',') rest = end + 1;
    return figure;
}

static unsigned list_sharers(const char *path, struct process_info *infos) {
    static struct simcuda_shared shared;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    unsigned count = 0;
    ssize_t got = file < 0 ? -1 : read(file, &shared, sizeof shared);
    if (file >= 0) close(file);
    for (int i = 0; got == (ssize_t)sizeof shared && i < SIMCUDA_MAX_USERS; i++) {
        int pid = shared.users[i].pid;
        unsigned long long bytes = shared.users[i].bytes[0];
        if (!pid || !bytes || (kill(pid, 0) != 0 && errno == ESRCH)) continue;
        infos[count++] = (struct process_info){.pid = (unsigned)pid, .used_bytes = bytes};
    }
    return count;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process_info *infos) {
    const char *shared = getenv("SIMCUDA_SHARED");
    (void)device;
    if (*count < SIMCUDA_MAX_USERS) return 7; // NVML_ERROR_INSUFFICIENT_SIZE
    if (shared) {
        *count = list_sharers(shared, infos);
        return 0;
    }
    infos[0] = (struct process_info){.pid = (unsigned)getpid(), .used_bytes = next_figure()};
    *count = 1;
    return 0;
}
