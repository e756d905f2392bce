/*
 * Three allocations of 1000 bytes, freed at once; then CUPTI is finalized; then five of 2000. The argument says how it
 * is: linked (by a function that the program is linked against), lookup (by dlsym), unseen (by a library that binds to
 * its own dependencies first), error (by CUPTI itself, with SIMCUDA_CUPTI=fatal), or not at all (none). With a second
 * argument another client subscribes afterwards.
 */
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int finalize(const char *how) {
    CUptiResult (*function)(void) = cuptiFinalize;
    if (strcmp(how, "none") == 0) return 0;
    if (strcmp(how, "error") == 0) return cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) == CUPTI_SUCCESS;
    if (strcmp(how, "lookup") == 0) {
        void *cupti = dlopen("libcupti.so.13", RTLD_LAZY);
        *(void **)&function = cupti ? dlsym(cupti, "cuptiFinalize") : NULL;
    }
    if (strcmp(how, "unseen") == 0) {
        void *library = dlopen("deepbound.so", RTLD_LAZY | RTLD_DEEPBIND);
        *(void **)&function = library ? dlsym(library, "deepbound_finalize") : NULL;
    }
    return !function || function() != CUPTI_SUCCESS;
}

static void CUPTIAPI ignore(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
    (void)user, (void)domain, (void)id, (void)data;
}

int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    CUdeviceptr address;
    CUpti_SubscriberHandle subscriber;
    if (argc < 2 || cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) return 1;
    if (cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS || cuCtxSetCurrent(context) != CUDA_SUCCESS)
        return 1;
    for (int i = 0; i < 3; i++) {
        if (cuMemAlloc(&address, 1000) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) return 1;
    }
    if (finalize(argv[1]) != 0) return 2;
    if (argc > 2 && cuptiSubscribe(&subscriber, ignore, NULL) != CUPTI_SUCCESS) return 3;
    for (int i = 0; i < 5; i++) {
        if (cuMemAlloc(&address, 2000) != CUDA_SUCCESS) return 1;
    }
    return 0;
}
