/*
 * As much of libnvidia-ml.so.1 as the tracer asks: one other process, and this one with 12345678 bytes.
 */
#include <unistd.h>

struct process_info {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

int nvmlInit_v2(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process_info *infos);

int nvmlInit_v2(void) {
    return 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    *device = device;
    return uuid[0] == 'G' && uuid[3] == '-' ? 0 : 2;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process_info *infos) {
    (void)device;
    infos[0] = (struct process_info){1, 999, 0, 0};
    infos[1] = (struct process_info){(unsigned)getpid(), 12345678, 0, 0};
    *count = 2;
    return 0;
}
