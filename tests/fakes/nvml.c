/*
 * Stands in for libnvidia-ml.so.1 beside the simulated device, so that a test can say what NVML tells of this process:
 * FAKE_NVML_USED=N,N,… are the bytes it uses, question by question; the last one goes on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process_info *infos) {
    (void)device;
    if (*count < 2) return 7; // NVML_ERROR_INSUFFICIENT_SIZE
    infos[0] = (struct process_info){.pid = 1, .used_bytes = 1000};
    infos[1] = (struct process_info){.pid = (unsigned)getpid(), .used_bytes = next_figure()};
    *count = 2;
    return 0;
}
