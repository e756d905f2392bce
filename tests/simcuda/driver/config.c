// Reads the environment once. Unreadable values fall back to the default: a test that misspells one fails on its
// expectations, not in here.
#include "tests/simcuda/driver/config.h"
#include <pthread.h>
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

// CUDA_VISIBLE_DEVICES: ordinals in the order given, ending at the first that doesn't exist.
static void choose_visible(int present) {
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (!list) {
        for (int i = 0; i < present; i++) config.visible[config.visible_count++] = i;
        return;
    }
    while (*list && config.visible_count < SIMCUDA_MAX_DEVICES) {
        char *end;
        long ordinal = strtol(list, &end, 10);
        if (end == list || ordinal < 0 || ordinal >= present) break;
        config.visible[config.visible_count++] = (int)ordinal;
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
