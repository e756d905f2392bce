// The simulated device's memory: what each call does to cuMemGetInfo is what it did on a real one, row by row.
#include "tests/unit/simcuda_test.h"
#include <stdio.h>
#include <string.h>

static void context_takes_538_81_mib(void **state) {
    (void)state;
    size_t free_bytes, total_bytes;
    expect_ok(cudaMemGetInfo(&free_bytes, &total_bytes));
    assert_int_equal(total_bytes, INT64_C(16) << 30);
    char text[32];
    snprintf(text, sizeof(text), "%.2f", (double)(total_bytes - free_bytes) / MIB);
    assert_string_equal(text, "538.81");
}

static void own_context_takes_535_56_mib_and_gives_all_back(void **state) {
    (void)state;
    CUdeviceptr block;
    CUcontext context, current;
    expect_ok(cuCtxGetCurrent(&current));
    int64_t before = used_bytes();
    expect_ok(cuCtxCreate(&context, NULL, 0, 0));
    assert_int_equal(used_bytes() - before, 561577984);
    expect_ok(cuMemAlloc(&block, 20 * MIB));
    assert_int_equal(used_bytes() - before, 561577984 + 20 * MIB);
    expect_ok(cuCtxDestroy(context));
    assert_int_equal(used_bytes(), before);
    CUcontext after;
    expect_ok(cuCtxGetCurrent(&after));
    assert_ptr_equal(after, current);
}

static void small_blocks_share_two_mib(void **state) {
    (void)state;
    void *a, *b, *c;
    expect_growth(2 * MIB, expect_ok(cudaMalloc(&a, 100)));
    expect_growth(0, expect_ok(cudaMalloc(&b, MIB)));
    expect_growth(4 * MIB, expect_ok(cudaMalloc(&c, 3 * MIB)));
    expect_growth(0, expect_ok(cudaFree(a)));
    expect_growth(-2 * MIB, expect_ok(cudaFree(b)));
    expect_growth(-4 * MIB, expect_ok(cudaFree(c)));
}

static void addresses_are_aligned_and_reused_lowest_first(void **state) {
    (void)state;
    void *a, *b, *c, *again;
    expect_ok(cudaMalloc(&a, 1));
    expect_ok(cudaMalloc(&b, 513));
    expect_ok(cudaMalloc(&c, 1));
    assert_ptr_equal((char *)a + 512, b);
    assert_ptr_equal((char *)b + 1024, c);
    expect_ok(cudaFree(a));
    expect_ok(cudaFree(b));
    expect_ok(cudaMalloc(&again, 1000));
    assert_ptr_equal(again, a);
    expect_ok(cudaFree(again));
    expect_ok(cudaFree(c));
}

static void device_memory_can_be_read_and_written(void **state) {
    (void)state;
    int host[4] = {1, 2, 3, 4}, back[4] = {0};
    int *device;
    expect_ok(cudaMalloc((void **)&device, sizeof(host)));
    expect_ok(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
    device[3] = 5;
    expect_ok(cudaMemset(device, 0, 4));
    expect_ok(cudaMemcpy(back, device, sizeof(host), cudaMemcpyDeviceToHost));
    assert_memory_equal(back, ((int[]){0, 2, 3, 5}), sizeof(back));
    expect_ok(cudaFree(device));
}

static void first_stream_takes_two_mib(void **state) {
    (void)state;
    cudaStream_t a, b;
    expect_growth(2 * MIB, expect_ok(cudaStreamCreate(&a)));
    expect_growth(0, expect_ok(cudaStreamCreate(&b)));
    expect_growth(0, expect_ok(cudaStreamDestroy(a)));
    expect_ok(cudaStreamDestroy(b));
}

static void default_pool_reserves_32_mib_steps_until_synchronised(void **state) {
    (void)state;
    cudaStream_t stream;
    void *a, *b, *c;
    expect_ok(cudaStreamCreate(&stream));
    expect_growth(32 * MIB, expect_ok(cudaMallocAsync(&a, 10 * MIB, stream)));
    expect_growth(0, expect_ok(cudaMallocAsync(&b, 10 * MIB, stream)));
    expect_growth(96 * MIB, expect_ok(cudaMallocAsync(&c, 100 * MIB, stream)));
    expect_growth(0, {
        expect_ok(cudaFreeAsync(a, stream));
        expect_ok(cudaFreeAsync(b, stream));
        expect_ok(cudaFreeAsync(c, stream));
    });
    expect_growth(-128 * MIB, expect_ok(cudaStreamSynchronize(stream)));
    expect_ok(cudaStreamDestroy(stream));
}

static void threshold_keeps_the_reservation(void **state) {
    (void)state;
    cudaMemPool_t pool;
    uint64_t threshold = 64 * MIB, reserved, used;
    void *block;
    expect_ok(cudaDeviceGetDefaultMemPool(&pool, 0));
    expect_ok(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    expect_ok(cudaMallocAsync(&block, 100 * MIB, NULL));
    expect_ok(cudaFreeAsync(block, NULL));
    expect_growth(-64 * MIB, expect_ok(cudaDeviceSynchronize()));
    expect_ok(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    expect_ok(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    assert_int_equal(reserved, 64 * MIB);
    assert_int_equal(used, 0);
    expect_growth(-64 * MIB, expect_ok(cudaMemPoolTrimTo(pool, 0)));
    threshold = 0;
    expect_ok(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
}

static void own_pool_goes_when_destroyed(void **state) {
    (void)state;
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
    cudaMemPool_t pool;
    void *block;
    expect_ok(cudaMemPoolCreate(&pool, &properties));
    expect_growth(32 * MIB, expect_ok(cudaMallocFromPoolAsync(&block, 5 * MIB, pool, NULL)));
    expect_growth(0, expect_ok(cudaFreeAsync(block, NULL)));
    expect_growth(-32 * MIB, expect_ok(cudaMemPoolDestroy(pool)));
}

static void destroyed_pool_lives_as_long_as_its_blocks(void **state) {
    (void)state;
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
    cudaMemPool_t pool;
    void *block, *refused;
    expect_ok(cudaMemPoolCreate(&pool, &properties));
    expect_ok(cudaMallocFromPoolAsync(&block, 5 * MIB, pool, NULL));
    expect_growth(0, expect_ok(cudaMemPoolDestroy(pool)));
    expect_result(cudaMallocFromPoolAsync(&refused, 1, pool, NULL), cudaErrorInvalidValue);
    expect_growth(-32 * MIB, expect_ok(cudaFreeAsync(block, NULL)));
}

static void arrays_take_their_size(void **state) {
    (void)state;
    struct cudaChannelFormatDesc four_floats = {32, 32, 32, 32, cudaChannelFormatKindFloat};
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    expect_growth(16 * MIB, expect_ok(cudaMallocArray(&array, &four_floats, 1000, 1000, 0)));
    expect_growth(-16 * MIB, expect_ok(cudaFreeArray(array)));
    struct cudaExtent extent = {.width = 512, .height = 512};
    expect_growth(6 * MIB, expect_ok(cudaMallocMipmappedArray(&mipmap, &four_floats, extent, 5, 0)));
    expect_growth(-6 * MIB, expect_ok(cudaFreeMipmappedArray(mipmap)));
}

static void pitched_rows_are_padded_to_512(void **state) {
    (void)state;
    void *rows;
    size_t pitch;
    expect_growth(2 * MIB, expect_ok(cudaMallocPitch(&rows, &pitch, 1000, 1000)));
    assert_int_equal(pitch, 1024);
    expect_ok(cudaFree(rows));
    struct cudaPitchedPtr box;
    struct cudaExtent extent = {.width = 1000, .height = 100, .depth = 10};
    expect_growth(2 * MIB, expect_ok(cudaMalloc3D(&box, extent)));
    assert_int_equal(box.pitch, 1024);
    expect_ok(cudaFree(box.ptr));
}

static void managed_and_pinned_memory_take_none(void **state) {
    (void)state;
    void *managed, *pinned, *mapped;
    expect_growth(0, expect_ok(cudaMallocManaged(&managed, 8 * MIB, cudaMemAttachGlobal)));
    expect_growth(0, expect_ok(cudaMallocHost(&pinned, 8 * MIB)));
    expect_growth(0, expect_ok(cudaHostAlloc(&mapped, 8 * MIB, cudaHostAllocMapped)));
    ((char *)pinned)[8 * MIB - 1] = 1;
    struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice, .id = 0};
    expect_growth(8 * MIB, expect_ok(cudaMemPrefetchAsync(managed, 8 * MIB, device, 0, NULL)));
    expect_growth(-8 * MIB, expect_ok(cudaFree(managed)));
    expect_ok(cudaFreeHost(pinned));
    expect_ok(cudaFreeHost(mapped));
}

static void reset_gives_everything_back(void **state) {
    (void)state;
    void *block;
    int64_t fresh = used_bytes();
    expect_ok(cudaMalloc(&block, 100 * MIB));
    expect_ok(cudaMallocAsync(&block, 100 * MIB, NULL));
    expect_ok(cudaDeviceReset());
    unsigned flags;
    int active;
    expect_ok(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    expect_ok(cudaMalloc(&block, 2 * MIB));
    assert_int_equal(used_bytes(), fresh + 2 * MIB);
    expect_ok(cudaFree(block));
}

static void memory_runs_out_at_its_size(void **state) {
    (void)state;
    void *block = &block;
    size_t free_bytes, total_bytes;
    expect_growth(0, expect_result(cudaMalloc(&block, (size_t)1 << 45), cudaErrorMemoryAllocation));
    assert_null(block);
    expect_growth(0, expect_result(cudaMallocAsync(&block, (size_t)1 << 45, NULL), cudaErrorMemoryAllocation));
    expect_ok(cudaMemGetInfo(&free_bytes, &total_bytes));
    expect_result(cudaMalloc(&block, free_bytes + 1), cudaErrorMemoryAllocation);
    size_t granules = free_bytes & ~(size_t)(2 * MIB - 1);
    expect_ok(cudaMalloc(&block, granules));
    void *more;
    expect_result(cudaMalloc(&more, 1), cudaErrorMemoryAllocation);
    expect_ok(cudaFree(block));
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void a_pool_gives_way_to_another(void **state) {
    (void)state;
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
    cudaMemPool_t pool;
    void *a, *b;
    expect_ok(cudaMallocAsync(&a, 10240 * MIB, NULL));
    expect_ok(cudaFreeAsync(a, NULL));
    expect_ok(cudaMemPoolCreate(&pool, &properties));
    expect_ok(cudaMallocFromPoolAsync(&b, 10240 * MIB, pool, NULL));
    expect_ok(cudaFreeAsync(b, NULL));
    expect_ok(cudaMemPoolDestroy(pool));
}

static void a_pool_holds_many_blocks(void **state) {
    (void)state;
    void *blocks[200];
    expect_growth(200 * 64 * MIB, for (int i = 0; i < 200; i++) expect_ok(cudaMallocAsync(&blocks[i], 64 * MIB, NULL)));
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < i; j++) assert_ptr_not_equal(blocks[i], blocks[j]);
    for (int i = 0; i < 200; i++) expect_ok(cudaFreeAsync(blocks[i], NULL));
    expect_growth(-200 * 64 * MIB, expect_ok(cudaDeviceSynchronize()));
}

static void pointers_tell_what_they_are(void **state) {
    (void)state;
    struct cudaPointerAttributes attributes;
    char *device, *pinned, *managed;
    int local;
    expect_ok(cudaMalloc((void **)&device, 1000));
    expect_ok(cudaMallocHost((void **)&pinned, 1000));
    expect_ok(cudaMallocManaged((void **)&managed, 1000, cudaMemAttachGlobal));
    expect_ok(cudaPointerGetAttributes(&attributes, device + 999));
    assert_int_equal(attributes.type, cudaMemoryTypeDevice);
    assert_ptr_equal(attributes.devicePointer, device + 999);
    expect_ok(cudaPointerGetAttributes(&attributes, pinned));
    assert_int_equal(attributes.type, cudaMemoryTypeHost);
    expect_ok(cudaPointerGetAttributes(&attributes, managed));
    assert_int_equal(attributes.type, cudaMemoryTypeManaged);
    expect_ok(cudaPointerGetAttributes(&attributes, &local));
    assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
    CUdeviceptr base;
    size_t bytes;
    expect_ok(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)device + 10));
    assert_int_equal(base, (CUdeviceptr)device);
    assert_int_equal(bytes, 1000);
    expect_ok(cudaFree(device));
    expect_ok(cudaFreeHost(pinned));
    expect_ok(cudaFree(managed));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_takes_538_81_mib),
        cmocka_unit_test(own_context_takes_535_56_mib_and_gives_all_back),
        cmocka_unit_test(small_blocks_share_two_mib),
        cmocka_unit_test(addresses_are_aligned_and_reused_lowest_first),
        cmocka_unit_test(device_memory_can_be_read_and_written),
        cmocka_unit_test_setup(first_stream_takes_two_mib, reset_device),
        cmocka_unit_test(default_pool_reserves_32_mib_steps_until_synchronised),
        cmocka_unit_test(threshold_keeps_the_reservation),
        cmocka_unit_test(own_pool_goes_when_destroyed),
        cmocka_unit_test(destroyed_pool_lives_as_long_as_its_blocks),
        cmocka_unit_test(arrays_take_their_size),
        cmocka_unit_test(pitched_rows_are_padded_to_512),
        cmocka_unit_test(managed_and_pinned_memory_take_none),
        cmocka_unit_test_setup(reset_gives_everything_back, reset_device),
        cmocka_unit_test(memory_runs_out_at_its_size),
        cmocka_unit_test(a_pool_gives_way_to_another),
        cmocka_unit_test(a_pool_holds_many_blocks),
        cmocka_unit_test(pointers_tell_what_they_are),
    };
    return cmocka_run_group_tests(tests, reset_device, NULL);
}
