/*
 * Every kind of allocation the runtime offers, once, each from a function of its own, with a size of its own. Those
 * named kept are never freed. Two requests fail: one too big for any device, one free of an address that was never
 * handed out. Prints what every call returned and exits with code 7, so that a test sees whether tracing changes
 * anything.
 */
#include "tests/e2e/programs/check.h"

enum { KIB = 1024 };

static char registered[64 * KIB] __attribute__((aligned(4096)));

static void say(const char *what, cudaError_t result) {
    printf("%s: %s\n", what, cudaGetErrorName(result));
}

static void plain_kept(void) {
    void *block;
    say("cudaMalloc", cudaMalloc(&block, 1001 * KIB));
}

static void plain_freed(void) {
    void *block;
    say("cudaMalloc", cudaMalloc(&block, 2002 * KIB));
    say("cudaFree", cudaFree(block));
}

static void pitched_kept(void) {
    void *block;
    size_t pitch;
    say("cudaMallocPitch", cudaMallocPitch(&block, &pitch, 1000, 30));
    printf("pitch %zu\n", pitch);
}

static void managed_freed(void) {
    void *block;
    say("cudaMallocManaged", cudaMallocManaged(&block, 404 * KIB, cudaMemAttachGlobal));
    say("cudaFree", cudaFree(block));
}

static void pinned_kept(void) {
    void *block;
    say("cudaMallocHost", cudaMallocHost(&block, 505 * KIB));
}

static void pinned_freed(void) {
    void *block;
    say("cudaHostAlloc", cudaHostAlloc(&block, 606 * KIB, cudaHostAllocMapped));
    say("cudaFreeHost", cudaFreeHost(block));
}

static void registered_freed(void) {
    say("cudaHostRegister", cudaHostRegister(registered, sizeof(registered), cudaHostRegisterDefault));
    say("cudaHostUnregister", cudaHostUnregister(registered));
}

static void async_kept(cudaStream_t stream) {
    void *block;
    say("cudaMallocAsync", cudaMallocAsync(&block, 707 * KIB, stream));
}

static void pool_freed(cudaStream_t stream) {
    cudaMemPool_t pool;
    void *block;
    say("cudaDeviceGetDefaultMemPool", cudaDeviceGetDefaultMemPool(&pool, 0));
    say("cudaMallocFromPoolAsync", cudaMallocFromPoolAsync(&block, 808 * KIB, pool, stream));
    say("cudaFreeAsync", cudaFreeAsync(block, stream));
}

static void too_big(void) {
    void *block = NULL;
    say("cudaMalloc", cudaMalloc(&block, (size_t)1 << 45));
    say("cudaGetLastError", cudaGetLastError());
    if (block) printf("a failed allocation left an address\n");
}

static void never_allocated(void) {
    say("cudaFree", cudaFree((void *)0x7fffdead0000));
    say("cudaGetLastError", cudaGetLastError());
}

int main(void) {
    cudaStream_t stream;
    say("cudaStreamCreate", cudaStreamCreate(&stream));
    plain_kept();
    plain_freed();
    pitched_kept();
    managed_freed();
    pinned_kept();
    pinned_freed();
    registered_freed();
    async_kept(stream);
    pool_freed(stream);
    too_big();
    never_allocated();
    say("cudaStreamSynchronize", cudaStreamSynchronize(stream));
    return 7;
}
