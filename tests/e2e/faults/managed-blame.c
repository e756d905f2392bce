/*
 * Managed memory that moves to the device and back: prefetched, in part and whole, by every form of the call. A stream
 * is created after each step, since the tracer measures the device's memory there.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#undef cuMemPrefetchAsync
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream);
CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream);

#define MIB ((size_t)1 << 20)
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        CUresult ok_result = (call);                                                                                   \
        if (ok_result) {                                                                                               \
            fprintf(stderr, "line %d: %d\n", __LINE__, ok_result);                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void measure(void) {
    CUstream stream;
    OK(cuCtxSynchronize());
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

int main(void) {
    CUmemLocation there = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, host = {.type = CU_MEM_LOCATION_TYPE_HOST};
    CUdevice device;
    CUcontext context;
    CUdeviceptr managed, other, plain;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    measure();

    OK(cuMemAllocManaged(&managed, 512 * MIB, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemPrefetchAsync_v2(managed, 512 * MIB, there, 0, NULL));
    measure();
    OK(cuMemPrefetchAsync_v2_ptsz(managed, 512 * MIB, host, 0, NULL));
    measure();
    OK(cuMemAllocManaged(&other, 64 * MIB, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemPrefetchAsync(other, 64 * MIB, device, NULL));
    OK(cuMemPrefetchAsync_ptsz(managed, 512 * MIB, device, NULL));
    measure();
    OK(cuCtxSynchronize());
    OK(cuMemAlloc(&plain, 16 * MIB)); // the peak of what was allocated on the device
    OK(cuMemFree(managed));
    measure();
    return 0;
}
