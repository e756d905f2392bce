/*
 * A program whose plug-in reaches the driver past whatever is preloaded (deepbound.c). The argument says which calls it
 * makes: init (cuInit), freed (allocates what the program frees), kept (allocates what the program never sees), both
 * (allocates and frees) or none. Five blocks of 3000 bytes, and one of 1000 that the program makes and frees itself.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static CUresult (*deep_init)(void);
static CUresult (*deep_alloc)(CUdeviceptr *address, size_t bytes);
static CUresult (*deep_free)(CUdeviceptr address);

static int find(void) {
    void *library = dlopen("deepbound.so", RTLD_LAZY | RTLD_DEEPBIND);
    if (!library) return 1;
    *(void **)&deep_init = dlsym(library, "deepbound_init");
    *(void **)&deep_alloc = dlsym(library, "deepbound_alloc");
    *(void **)&deep_free = dlsym(library, "deepbound_free");
    return !deep_init || !deep_alloc || !deep_free;
}

int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    const char *way = argc > 1 ? argv[1] : "";
    if (find() != 0) return 2;
    bool all = strcmp(way, "init") == 0, unseen_free = all || strcmp(way, "both") == 0;
    bool unseen_alloc = unseen_free || strcmp(way, "freed") == 0 || strcmp(way, "kept") == 0;
    if ((all ? deep_init() : cuInit(0)) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) return 1;
    if (cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS || cuCtxSetCurrent(context) != CUDA_SUCCESS)
        return 1;
    CUdeviceptr address;
    if (cuMemAlloc(&address, 1000) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) return 1;
    for (int i = 0; i < 5; i++) {
        if ((unseen_alloc ? deep_alloc(&address, 3000) : cuMemAlloc(&address, 3000)) != CUDA_SUCCESS) return 1;
        if (strcmp(way, "kept") == 0) continue;
        if ((unseen_free ? deep_free(address) : cuMemFree(address)) != CUDA_SUCCESS) return 1;
    }
    return 0;
}
