/*
 * Asking NVML, see effects/nvml.h. Its few functions are declared here: the toolkit's nvml.h is not always
 * installed, and the library comes with the driver. Initialised at the first question, which takes long, and left so.
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

// Another process's context takes more than this. So does much that a program does by itself: what moves less than a
// 32nd of what is in use is not asked about, so that one alone pays for a hundred questions at most.
#define MUCH ((uint64_t)256 << 20)

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

// The devices asked about.
static struct {
    _Atomic(void *) handle;    // NVML's; NULL before, or when NVML does not know the device
    _Atomic(uint64_t) total;   // bytes
    _Atomic(uint64_t) weighed; // bytes in use when NVML was last asked, or need not be; 0 before
    atomic_bool shared;        // other processes had a context there at the last question
} devices[DEVICES_MAX];
static atomic_flag opened = ATOMIC_FLAG_INIT;
static atomic_bool ready;

static void initialise(void) {
    if (!nvml.init || atomic_flag_test_and_set(&opened)) return;
    if (nvml.init() == 0) atomic_store(&ready, true);
}

void mt_nvml_start(void) {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&nvml.device_by_uuid = mt_real_dlsym(library, "nvmlDeviceGetHandleByUUID");
    *(void **)&nvml.processes = mt_real_dlsym(library, "nvmlDeviceGetComputeRunningProcesses_v3");
    if (!nvml.processes) *(void **)&nvml.processes = mt_real_dlsym(library, "nvmlDeviceGetComputeRunningProcesses_v2");
    if (nvml.device_by_uuid && nvml.processes) *(void **)&nvml.init = mt_real_dlsym(library, "nvmlInit_v2");
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
    atomic_store(&devices[device].total, total);
    atomic_store(&devices[device].handle, handle);
    return handle;
}

// Bytes that this process has on the device, or NOT_AVAILABLE.
static unsigned long long own_bytes(CUdevice device) {
    void *handle = atomic_load(&devices[device].handle);
    struct process_info *infos = calloc(PROCESSES_MAX, sizeof *infos);
    unsigned count = PROCESSES_MAX, own = (unsigned)getpid();
    unsigned long long bytes = NOT_AVAILABLE;
    if (infos && nvml.processes(handle, &count, infos) == 0) {
        for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++) {
            if (infos[i].pid == own) bytes = infos[i].used_bytes;
        }
    }
    free(infos);
    atomic_store(&devices[device].shared, bytes != NOT_AVAILABLE && count > 1);
    return bytes;
}

static void write_sample(const struct mt_call *call, CUdevice device, uint64_t used) {
    const struct mt_tagged tags[] = {{MT_TAG_DEVICE, (uint64_t)device},
                                     {MT_TAG_USED, used},
                                     {MT_TAG_TOTAL, atomic_load(&devices[device].total)},
                                     {MT_TAG_SAMPLE_SOURCE, MT_SAMPLE_PROCESS}};
    if (call) {
        mt_record_effect(call, MT_EFFECT_SAMPLED, MT_AFTER_CALL, NULL, tags, 4);
    } else {
        const struct mt_event event = {.time_ns = mt_now_ns()};
        mt_write_event(mt_thread.lane, MT_EFFECT_SAMPLED, &event, tags, 4);
    }
}

void mt_nvml_sample(const struct mt_call *call, CUdevice device) {
    if (device < 0 || device >= DEVICES_MAX || !mt_session_may_call_cuda()) return;
    initialise();
    if (!atomic_load(&ready)) return;
    if (!atomic_load(&devices[device].handle) && !handle_of(device)) return;
    unsigned long long used = own_bytes(device);
    if (used != NOT_AVAILABLE) write_sample(call, device, used);
}

bool mt_nvml_own(CUdevice device, uint64_t used, uint64_t *own) {
    if (device < 0 || device >= DEVICES_MAX || !atomic_load(&devices[device].handle)) return false;
    uint64_t weighed = atomic_load_explicit(&devices[device].weighed, memory_order_relaxed);
    uint64_t moved = used > weighed ? used - weighed : weighed - used;
    bool shared = atomic_load_explicit(&devices[device].shared, memory_order_relaxed);
    if (shared ? !moved : weighed && (moved < MUCH || moved < weighed / 32)) return false;
    atomic_store_explicit(&devices[device].weighed, used, memory_order_relaxed);
    if (!shared && !weighed) return false; // the context has just been asked about
    unsigned long long bytes = own_bytes(device);
    *own = bytes;
    return bytes != NOT_AVAILABLE;
}

void mt_nvml_sample_all(void) {
    for (CUdevice device = 0; device < DEVICES_MAX; device++) {
        unsigned long long used = atomic_load(&devices[device].handle) ? own_bytes(device) : NOT_AVAILABLE;
        if (used != NOT_AVAILABLE) write_sample(NULL, device, used);
    }
}
