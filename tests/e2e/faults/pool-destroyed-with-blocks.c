/*
 * Pools that are destroyed while blocks of them are out: CUDA keeps their memory until the last block is freed. One
 * block was allocated by naming its pool, one because the pool was the device's current one; then a new pool, which may
 * get the handle of an old one.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((size_t)1 << 20)
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        CUresult ok_result = (call);                                                                                   \
        if (ok_result) {                                                                                               \
            fprintf(stderr, "line %d: %d\n", __LINE__, ok_result);                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static CUmemoryPool make_pool(void) {
    CUmemoryPool pool;
    CUmemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    OK(cuMemPoolCreate(&pool, &properties));
    return pool;
}

// The device's memory in use is measured here.
static void measure(void) {
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

int main(void) {
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUdeviceptr named, unnamed, small;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));

    CUmemoryPool first = make_pool(), second = make_pool();
    OK(cuMemAllocFromPoolAsync(&named, 1024 * MIB, first, stream));
    OK(cuDeviceSetMemPool(device, second));
    OK(cuMemAllocAsync(&unnamed, 512 * MIB, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemPoolDestroy(first));
    OK(cuMemPoolDestroy(second));
    measure();

    CUmemoryPool third = make_pool();
    OK(cuMemAllocFromPoolAsync(&small, 64 * MIB, third, stream));
    OK(cuStreamSynchronize(stream));
    measure();

    OK(cuMemFreeAsync(named, stream));
    OK(cuMemFreeAsync(unnamed, stream));
    OK(cuStreamSynchronize(stream));
    measure();
    OK(cuMemFreeAsync(small, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemPoolDestroy(third));
    return 0;
}
