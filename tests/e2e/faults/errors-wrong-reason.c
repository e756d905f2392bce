/*
 * Calls that fail for what else is in memory: host memory is registered while an older registration of the same
 * addresses still stands, and managed memory is freed in the order of a stream.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define KIB ((size_t)1 << 10)
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        CUresult ok_result = (call);                                                                                   \
        if (ok_result) {                                                                                               \
            fprintf(stderr, "line %d: %d\n", __LINE__, ok_result);                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

int main(void) {
    CUdevice device;
    CUcontext context;
    CUdeviceptr managed;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    char *memory = aligned_alloc(64 * KIB, 1024 * KIB);
    if (!memory) return 1;
    OK(cuMemHostRegister(memory, 1024 * KIB, 0));
    printf("%d\n", cuMemHostRegister(memory, 1024 * KIB, 0));
    printf("%d\n", cuMemHostRegister(memory + 64 * KIB, 64 * KIB, 0));
    OK(cuMemHostUnregister(memory));
    OK(cuMemHostRegister(memory, 64 * KIB, 0));
    OK(cuMemHostUnregister(memory));
    OK(cuMemAllocManaged(&managed, 64 * KIB, CU_MEM_ATTACH_GLOBAL));
    printf("%d\n", cuMemFreeAsync(managed, NULL));
    OK(cuMemFree(managed));
    free(memory);
    return 0;
}
