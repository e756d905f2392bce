// Reads the environment once. Unreadable values fall back to the default: a test that misspells one fails on its
// expectations, not in here.
#include "tests/simcuda/driver/config.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sim_config config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t size_or(const char *text, uint64_t fallback) {
    if (!text || !*text) return fallback;
    char *end;
    double value = strtod(text, &end);
    if (end == text || value < 0) return fallback;
    static const char units[] = "KMGT";
    const char *unit = *end ? strchr(units, *end) : NULL;
    return (uint64_t)(value * (double)(unit ? UINT64_C(1) << (10 * (unit - units + 1)) : 1));
}

static int number_or(const char *text, int fallback) {
    return text && *text ? atoi(text) : fallback;
}

void sim_uuid(int index, char uuid[16]) {
    memcpy(uuid, "simulated-gpu-\0", 15);
    uuid[15] = (char)index;
}

// As programs and nvidia-smi write it: GPU-, then 4, 2, 2, 2 and 6 bytes.
#define UUID_TEXT sizeof("GPU-01234567-89ab-cdef-0123-456789abcdef")

static void uuid_text(int index, char text[UUID_TEXT]) {
    char uuid[16], *end = text + sprintf(text, "GPU");
    sim_uuid(index, uuid);
    for (int i = 0; i < 16; i++)
        end +=
            sprintf(end, "%s%02x", i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)uuid[i]);
}

// The device that an entry of CUDA_VISIBLE_DEVICES names, by ordinal or by UUID or the beginning of one; -1: none, or
// not one alone. *end is what follows the entry.
static int named_device(const char *entry, int present, const char **end) {
    size_t length = strcspn(entry, ",");
    *end = entry + length;
    if (strncmp(entry, "GPU-", 4) != 0) {
        char *rest;
        long ordinal = strtol(entry, &rest, 10);
        return rest != entry && rest == *end && ordinal >= 0 && ordinal < present ? (int)ordinal : -1;
    }
    int found = -1;
    for (int i = 0; i < present; i++) {
        char text[UUID_TEXT];
        uuid_text(i, text);
        if (strncmp(entry, text, length) != 0) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

// CUDA_VISIBLE_DEVICES: devices in the order given, ending at the first that doesn't exist.
static void choose_visible(int present) {
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (!list) {
        for (int i = 0; i < present; i++) config.visible[config.visible_count++] = i;
        return;
    }
    while (*list && config.visible_count < SIMCUDA_MAX_DEVICES) {
        const char *end;
        int device = named_device(list, present, &end);
        if (device < 0) break;
        config.visible[config.visible_count++] = device;
        if (*end != ',') break;
        list = end + 1;
    }
}

static void read_environment(void) {
    config.memory_bytes = size_or(getenv("SIMCUDA_MEMORY"), UINT64_C(16) << 30);
    config.hidden_module_bytes = size_or(getenv("SIMCUDA_HIDDEN_MODULE"), 0);
    config.driver_version = number_or(getenv("SIMCUDA_DRIVER_VERSION"), 13000);
    const char *kernels = getenv("SIMCUDA_KERNELS");
    config.kernels = !kernels || strcmp(kernels, "off") != 0;
    int present = number_or(getenv("SIMCUDA_DEVICES"), 1);
    if (present < 0) present = 0;
    choose_visible(present > SIMCUDA_MAX_DEVICES ? SIMCUDA_MAX_DEVICES : present);
}

const struct sim_config *sim_config(void) {
    pthread_once(&once, read_environment);
    return &config;
}
