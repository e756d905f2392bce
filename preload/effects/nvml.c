/*
 * Asking NVML, see effects/nvml.h. Its few functions are declared here: the toolkit's effects/nvml.h is not always
 * installed, and the library comes with the driver. Loaded at the first question and left loaded.
 */
#include "preload/effects/nvml.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/driver.h"
#include "preload/guard.h"
#include "preload/real_dlsym.h"
#include "preload/record.h"
#include "preload/session.h"

#define DEVICES_MAX   64
#define PROCESSES_MAX 512
#define NOT_AVAILABLE (~0ull)

// nvmlProcessInfo_t of versions 2 and 3.
struct process_info {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

static struct {
    int (*init)(void);
    int (*device_by_uuid)(const char *uuid, void **device);
    int (*processes)(void *device, unsigned *count, struct process_info *infos);
} nvml;

// NVML's handles of the devices asked about; NULL before, or when NVML does not know the device.
static _Atomic(void *) handles[DEVICES_MAX];
static _Atomic(uint64_t) totals[DEVICES_MAX]; // bytes
static atomic_flag opened = ATOMIC_FLAG_INIT;
static atomic_bool ready;

static void open_nvml(void) {
    if (atomic_flag_test_and_set(&opened)) return;
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&nvml.init = mt_real_dlsym(library, "nvmlInit_v2");
    *(void **)&nvml.device_by_uuid = mt_real_dlsym(library, "nvmlDeviceGetHandleByUUID");
    *(void **)&nvml.processes = mt_real_dlsym(library, "nvmlDeviceGetComputeRunningProcesses_v3");
    if (!nvml.processes) *(void **)&nvml.processes = mt_real_dlsym(library, "nvmlDeviceGetComputeRunningProcesses_v2");
    if (nvml.init && nvml.device_by_uuid && nvml.processes && nvml.init() == 0) atomic_store(&ready, true);
}

static void *handle_of(CUdevice device) {
    CUuuid uuid;
    size_t total = 0;
    char text[64];
    void *handle = NULL;
    if (!mt_driver.device_get_uuid || mt_driver.device_get_uuid(&uuid, device) != CUDA_SUCCESS) return NULL;
    if (mt_driver.device_total_mem) mt_driver.device_total_mem(&total, device);
    const unsigned char *b = (const unsigned char *)uuid.bytes;
    snprintf(text, sizeof text, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
    if (nvml.device_by_uuid(text, &handle) != 0) return NULL;
    atomic_store(&totals[device], total);
    atomic_store(&handles[device], handle);
    return handle;
}

// Bytes that this process has on the device, or NOT_AVAILABLE.
static unsigned long long own_bytes(void *handle) {
    struct process_info *infos = calloc(PROCESSES_MAX, sizeof *infos);
    unsigned count = PROCESSES_MAX, own = (unsigned)getpid();
    unsigned long long bytes = NOT_AVAILABLE;
    if (infos && nvml.processes(handle, &count, infos) == 0) {
        for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++) {
            if (infos[i].pid == own) bytes = infos[i].used_bytes;
        }
    }
    free(infos);
    return bytes;
}

static void write_sample(const struct mt_call *call, CUdevice device, uint64_t used) {
    const struct mt_tagged tags[] = {{MT_TAG_DEVICE, (uint64_t)device},
                                     {MT_TAG_USED, used},
                                     {MT_TAG_TOTAL, atomic_load(&totals[device])},
                                     {MT_TAG_SAMPLE_SOURCE, MT_SAMPLE_PROCESS}};
    if (call) {
        mt_record_effect(call, MT_EFFECT_SAMPLED, MT_AFTER_CALL, NULL, tags, 4);
    } else {
        const struct mt_event event = {.time_ns = mt_now_ns()};
        mt_write_event(mt_thread.stream, MT_EFFECT_SAMPLED, &event, tags, 4);
    }
}

void mt_nvml_sample(const struct mt_call *call, CUdevice device) {
    if (device < 0 || device >= DEVICES_MAX || !mt_session_may_call_cuda()) return;
    open_nvml();
    if (!atomic_load(&ready)) return;
    void *handle = atomic_load(&handles[device]);
    if (!handle && !(handle = handle_of(device))) return;
    unsigned long long used = own_bytes(handle);
    if (used != NOT_AVAILABLE) write_sample(call, device, used);
}

void mt_nvml_sample_all(void) {
    for (CUdevice device = 0; device < DEVICES_MAX; device++) {
        void *handle = atomic_load(&handles[device]);
        unsigned long long used = handle ? own_bytes(handle) : NOT_AVAILABLE;
        if (used != NOT_AVAILABLE) write_sample(NULL, device, used);
    }
}
