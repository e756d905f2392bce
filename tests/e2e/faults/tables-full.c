/*
 * More of everything than a program usually has: "views N" maps and frees N buffers of imported memory, "pools N" keeps
 * N memory pools with a block each.
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

static void make_views(size_t count) {
    CUmemAllocationProp physical;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC import;
    CUmemGenericAllocationHandle handle;
    CUexternalMemory memory;
    CUdeviceptr *buffers = calloc(count, sizeof *buffers);
    if (!buffers) exit(1);
    memset(&physical, 0, sizeof physical);
    physical.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    physical.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    physical.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(cuMemCreate(&handle, 64 * MIB, &physical, 0));
    memset(&import, 0, sizeof import);
    import.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    import.size = 64 * MIB;
    OK(cuMemExportToShareableHandle(&import.handle.fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuImportExternalMemory(&memory, &import));
    for (size_t i = 0; i < count; i++) {
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC part;
        memset(&part, 0, sizeof part);
        part.offset = 4096 * i;
        part.size = 4096;
        OK(cuExternalMemoryGetMappedBuffer(&buffers[i], memory, &part));
    }
    for (size_t i = 0; i < count; i++) OK(cuMemFree(buffers[i]));
    OK(cuDestroyExternalMemory(memory));
    OK(cuMemRelease(handle));
    free(buffers);
}

static void make_pools(size_t count) {
    CUmemPoolProps properties;
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    for (size_t i = 0; i < count; i++) {
        CUmemoryPool pool;
        CUdeviceptr block;
        OK(cuMemPoolCreate(&pool, &properties));
        OK(cuMemAllocFromPoolAsync(&block, 1 * MIB, pool, stream));
    }
    OK(cuStreamSynchronize(stream));
}

int main(int argument_count, char **arguments) {
    CUdevice device;
    CUcontext context;
    if (argument_count < 3) return 1;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    size_t count = strtoul(arguments[2], NULL, 10);
    if (!strcmp(arguments[1], "views")) make_views(count);
    if (!strcmp(arguments[1], "pools")) make_pools(count);
    return 0;
}
