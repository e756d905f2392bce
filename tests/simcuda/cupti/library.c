// Loading the driver, and the ways in which SIMCUDA_CUPTI makes this library refuse its clients.
#include "tests/simcuda/cupti/library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct simcuda_bridge *bridge;
static CUptiResult refusal = CUPTI_SUCCESS;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    const struct simcuda_bridge *(*find)(void) =
        library ? (const struct simcuda_bridge *(*)(void))dlsym(library, "simcuda_bridge") : NULL;
    bridge = find ? find() : NULL;
    const char *mode = getenv("SIMCUDA_CUPTI");
    if (!bridge || (mode && !strcmp(mode, "missing")))
        refusal = CUPTI_ERROR_UNKNOWN;
    else if (mode && !strcmp(mode, "too-new"))
        refusal = CUPTI_ERROR_NOT_INITIALIZED;
    else if (mode && !strcmp(mode, "busy"))
        refusal = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

const struct simcuda_bridge *sim_cupti_bridge(void) {
    pthread_once(&once, start);
    return bridge;
}

bool sim_cupti_fails(void) {
    const char *mode = getenv("SIMCUDA_CUPTI");
    return mode && !strcmp(mode, "fatal") && sim_cupti_bridge();
}

CUptiResult sim_cupti_refusal(void) {
    pthread_once(&once, start);
    return refusal;
}
