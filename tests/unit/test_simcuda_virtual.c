// Virtual memory, sharing and green contexts on the simulated device: physical memory ends with its last reference.
#include "tests/unit/simcuda_test.h"
#include <sys/wait.h>
#include <unistd.h>

static const CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                              .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                              .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};

static void memory_goes_with_the_last_use(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle, again;
    CUdeviceptr address;
    CUmemAccessDesc access = {.location = on_device.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    expect_growth(0, expect_ok(cuMemAddressReserve(&address, 16 * MIB, 0, 0, 0)));
    expect_growth(8 * MIB, expect_ok(cuMemCreate(&handle, 8 * MIB, &on_device, 0)));
    expect_growth(0, expect_ok(cuMemMap(address, 8 * MIB, 0, handle, 0)));
    expect_ok(cuMemSetAccess(address, 8 * MIB, &access, 1));
    *(int *)address = 7;
    expect_growth(0, expect_ok(cuMemRetainAllocationHandle(&again, (void *)address)));
    expect_growth(0, expect_ok(cuMemRelease(handle)));
    expect_growth(0, expect_ok(cuMemRelease(again)));
    expect_result(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
    expect_result(cuMemAddressFree(address, 16 * MIB), CUDA_ERROR_INVALID_VALUE);
    expect_growth(-8 * MIB, expect_ok(cuMemUnmap(address, 8 * MIB)));
    expect_result(cuMemUnmap(address, 8 * MIB), CUDA_ERROR_INVALID_VALUE);
    expect_ok(cuMemAddressFree(address, 16 * MIB));
}

static void one_unmap_ends_several_mappings(void **state) {
    (void)state;
    CUmemGenericAllocationHandle first, second;
    CUdeviceptr address;
    expect_ok(cuMemAddressReserve(&address, 6 * MIB, 0, 0, 0));
    expect_ok(cuMemCreate(&first, 2 * MIB, &on_device, 0));
    expect_ok(cuMemCreate(&second, 4 * MIB, &on_device, 0));
    expect_ok(cuMemMap(address, 2 * MIB, 0, first, 0));
    expect_ok(cuMemMap(address + 2 * MIB, 4 * MIB, 0, second, 0));
    expect_result(cuMemMap(address, 2 * MIB, 0, first, 0), CUDA_ERROR_INVALID_VALUE);
    expect_ok(cuMemRelease(first));
    expect_ok(cuMemRelease(second));
    expect_result(cuMemUnmap(address, 4 * MIB), CUDA_ERROR_INVALID_VALUE); // would cut the second
    expect_growth(-6 * MIB, expect_ok(cuMemUnmap(address, 6 * MIB)));
    expect_ok(cuMemAddressFree(address, 6 * MIB));
}

static void odd_sizes_and_places_are_refused(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;
    CUmemAllocationProp on_host = on_device;
    on_host.location = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST_NUMA, .id = 0};
    expect_result(cuMemCreate(&handle, 1000, &on_device, 0), CUDA_ERROR_INVALID_VALUE);
    expect_result(cuMemCreate(&handle, (size_t)1 << 45, &on_device, 0), CUDA_ERROR_OUT_OF_MEMORY);
    expect_result(cuMemAddressReserve(&address, 1000, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    expect_growth(0, expect_ok(cuMemCreate(&handle, 8 * MIB, &on_host, 0)));
    expect_ok(cuMemRelease(handle));
}

static void reserved_addresses_are_as_asked(void **state) {
    (void)state;
    CUdeviceptr first, wanted, aligned;
    expect_ok(cuMemAddressReserve(&first, 2 * MIB, 0, 0, 0));
    expect_ok(cuMemAddressReserve(&wanted, 2 * MIB, 0, first + 100 * MIB, 0));
    assert_int_equal(wanted, first + 100 * MIB);
    expect_ok(cuMemAddressReserve(&aligned, 2 * MIB, 64 * MIB, 0, 0));
    assert_int_equal(aligned % (64 * MIB), 0);
    expect_ok(cuMemAddressFree(aligned, 2 * MIB));
    expect_ok(cuMemAddressFree(wanted, 2 * MIB));
    expect_ok(cuMemAddressFree(first, 2 * MIB));
}

static void importing_ones_own_is_another_reference(void **state) {
    (void)state;
    CUmemGenericAllocationHandle handle, again;
    int fd;
    expect_ok(cuMemCreate(&handle, 8 * MIB, &on_device, 0));
    expect_ok(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    expect_growth(0, expect_ok(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)fd,
                                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)));
    close(fd);
    expect_growth(0, expect_ok(cuMemRelease(handle)));
    expect_growth(-8 * MIB, expect_ok(cuMemRelease(again)));
}

static void own_memory_cant_be_opened_by_ipc(void **state) {
    (void)state;
    CUdeviceptr block, opened;
    CUipcMemHandle handle;
    expect_ok(cuMemAlloc(&block, 4 * MIB));
    expect_ok(cuIpcGetMemHandle(&handle, block));
    expect_result(cuIpcOpenMemHandle(&opened, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), CUDA_ERROR_INVALID_CONTEXT);
    expect_result(cuIpcGetMemHandle(&handle, block + 8 * MIB), CUDA_ERROR_INVALID_VALUE);
    expect_ok(cuMemFree(block));
}

static void multicast_holds_what_is_bound(void **state) {
    (void)state;
    CUmulticastObjectProp properties = {.numDevices = 1, .size = 8 * MIB};
    CUmemGenericAllocationHandle object, memory;
    expect_growth(0, expect_ok(cuMulticastCreate(&object, &properties)));
    expect_ok(cuMulticastAddDevice(object, 0));
    expect_ok(cuMemCreate(&memory, 8 * MIB, &on_device, 0));
    expect_ok(cuMulticastBindMem(object, 0, memory, 0, 8 * MIB, 0));
    expect_growth(0, expect_ok(cuMemRelease(memory)));
    expect_growth(-8 * MIB, expect_ok(cuMulticastUnbind(object, 0, 0, 8 * MIB)));
    expect_ok(cuMemRelease(object));
}

static void green_context_owns_nothing(void **state) {
    (void)state;
    CUdevResource all;
    CUdevResourceDesc description;
    CUgreenCtx part;
    CUcontext context, primary;
    CUdeviceptr block;
    expect_ok(cuCtxGetCurrent(&primary));
    expect_ok(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    expect_ok(cuDevResourceGenerateDesc(&description, &all, 1));
    expect_ok(cuGreenCtxCreate(&part, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    expect_ok(cuCtxFromGreenCtx(&context, part));
    expect_ok(cuCtxPushCurrent(context));
    expect_ok(cuMemAlloc(&block, 4 * MIB));
    expect_ok(cuCtxPopCurrent(&context));
    expect_growth(0, expect_ok(cuGreenCtxDestroy(part)));
    expect_growth(-4 * MIB, expect_ok(cuMemFree(block)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_goes_with_the_last_use),           cmocka_unit_test(one_unmap_ends_several_mappings),
        cmocka_unit_test(odd_sizes_and_places_are_refused),        cmocka_unit_test(reserved_addresses_are_as_asked),
        cmocka_unit_test(importing_ones_own_is_another_reference), cmocka_unit_test(own_memory_cant_be_opened_by_ipc),
        cmocka_unit_test(multicast_holds_what_is_bound),           cmocka_unit_test(green_context_owns_nothing),
    };
    return cmocka_run_group_tests(tests, reset_device, NULL);
}
