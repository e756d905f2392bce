/*
 * Coverage: external memory, as graphics interoperation brings it: cuImportExternalMemory, a buffer and a mipmapped
 * array mapped in it, cuDestroyExternalMemory. The file descriptor comes from cuMemCreate, so the memory is counted
 * there, once; the import is not owned.
 */
#include "tests/e2e/coverage/driver.h"

#include <unistd.h>

#define SIZE (8 * MIB)

static CUmemGenericAllocationHandle handle;

static CUresult import(CUexternalMemory *memory) {
    CUdevice device = driver_open();
    CUmemAllocationProp properties = driver_physical(device);
    int fd;

    CU(cuMemCreate(&handle, SIZE, &properties, 0));
    ledger_plus(SIZE, "physical", "cuMemCreate");
    CU(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description = {
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd, .size = SIZE};
    CUresult result = cuImportExternalMemory(memory, &description);
    if (result == CUDA_SUCCESS) {
        ledger_plus(SIZE, "imported", "cuImportExternalMemory"); // the descriptor is the driver's now
    } else {
        close(fd);
        CU(cuMemRelease(handle));
    }
    return result;
}

static void end(CUexternalMemory memory) {
    CU(cuDestroyExternalMemory(memory));
    ledger_minus(SIZE, "imported", "cuDestroyExternalMemory");
    CU(cuMemRelease(handle));
    ledger_minus(SIZE, "physical", "cuMemRelease");
}

// The mapped buffer is freed by cuMemFree, which ends the mapping and no memory.
static int buffer(void) {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.offset = 0, .size = 4 * MIB};
    CUexternalMemory memory;
    CUdeviceptr address;

    if (import(&memory) != CUDA_SUCCESS) return ledger_skip("the device does not import its own descriptors");
    CU(cuExternalMemoryGetMappedBuffer(&address, memory, &part));
    CU(cuMemFree(address));
    end(memory);
    return 0;
}

static int mipmap(void) {
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC shape = {
        .arrayDesc = {.Width = 256, .Height = 256, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1}, .numLevels = 1};
    CUexternalMemory memory;
    CUmipmappedArray array;

    if (import(&memory) != CUDA_SUCCESS) return ledger_skip("the device does not import its own descriptors");
    CUresult result = cuExternalMemoryGetMappedMipmappedArray(&array, memory, &shape);
    if (result == CUDA_SUCCESS) CU(cuMipmappedArrayDestroy(array));
    end(memory);
    return result == CUDA_SUCCESS ? 0 : ledger_skip("the device maps no array in memory of this kind");
}

static const struct ledger_row rows[] = {
    {"buffer", buffer},
    {"mipmap", mipmap},
};
LEDGER_MAIN(rows)
