/*
 * Another library's functions of the driver's names, preloaded behind ours, as quota and accounting libraries are.
 * INTERPOSER says what they do within a call: wait (for the device), twice (a block of its own beside each), evict
 * (free an older block of its own first), retry (after a first refusal), cache (answer without the driver), managed (go
 * on to another function). INTERPOSER_FIND=handle: it finds the driver's functions in libcuda's handle, not by
 * RTLD_NEXT.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static CUdeviceptr beside[16], cached;
static size_t count;

static int does(const char *what) {
    const char *mode = getenv("INTERPOSER");
    return mode && strcmp(mode, what) == 0;
}

static void *find(const char *name) {
    const char *how = getenv("INTERPOSER_FIND");
    return how && strcmp(how, "handle") == 0 ? dlsym(dlopen("libcuda.so.1", RTLD_LAZY), name) : dlsym(RTLD_NEXT, name);
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    CUresult (*real)(CUdeviceptr *, size_t);
    *(void **)&real = find("cuMemAlloc_v2");
    if (does("wait")) cuCtxSynchronize();
    if (does("twice") && real(&beside[count++], 512) != CUDA_SUCCESS) abort();
    if (does("evict")) {
        if (count && cuMemFreeHost((void *)(uintptr_t)beside[--count]) != CUDA_SUCCESS) abort();
        if (cuMemAllocHost_v2((void **)&beside[count++], 64) != CUDA_SUCCESS) abort();
    }
    if (does("retry") && real(address, (size_t)1 << 60) != CUDA_ERROR_OUT_OF_MEMORY) abort();
    if (does("managed")) {
        CUresult (*other)(CUdeviceptr *, size_t, unsigned);
        *(void **)&other = find("cuMemAllocManaged");
        return other(address, bytes, CU_MEM_ATTACH_GLOBAL);
    }
    if (!does("cache") || !cached) return real(address, bytes);
    *address = cached;
    cached = 0;
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    CUresult (*real)(CUdeviceptr);
    *(void **)&real = find("cuMemFree_v2");
    if (does("wait")) cuCtxSynchronize();
    if (does("cache") && !cached) {
        cached = address;
        return CUDA_SUCCESS;
    }
    return real(address);
}
