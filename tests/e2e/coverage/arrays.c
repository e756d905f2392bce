/*
 * Coverage: arrays and mipmapped arrays through the driver API. The ledger holds elements times their size; what the
 * device takes is more (alignment, padding): "fact taken" is the growth of the memory in use, which the device hands
 * out in steps of 2 MiB.
 */
#include "tests/e2e/coverage/driver.h"

static size_t free_before;

static size_t device_free(void) {
    size_t free_bytes, total;

    CU(cuMemGetInfo(&free_bytes, &total));
    return free_bytes;
}

static void open_device(void) {
    driver_open();
    free_before = device_free();
}

static void took(void) {
    ledger_fact("taken", free_before - device_free());
}

static int array_2d(void) {
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = 1000, .Height = 1000, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4};
    CUarray array;

    open_device();
    CU(cuArrayCreate(&array, &shape));
    ledger_plus(16000000, "array", "cuArrayCreate_v2");
    took();
    CU(cuArrayDestroy(array));
    ledger_minus(16000000, "array", "cuArrayDestroy");
    return 0;
}

static int array_1d(void) {
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = 10000, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUarray array;

    open_device();
    CU(cuArrayCreate(&array, &shape));
    ledger_plus(10000, "array", "cuArrayCreate_v2");
    took();
    CU(cuArrayDestroy(array));
    ledger_minus(10000, "array", "cuArrayDestroy");
    return 0;
}

static int array_3d(void) {
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = 128, .Height = 128, .Depth = 64, .Format = CU_AD_FORMAT_HALF, .NumChannels = 2};
    CUarray array;

    open_device();
    CU(cuArray3DCreate(&array, &shape));
    ledger_plus(4 * MIB, "array", "cuArray3DCreate_v2");
    took();
    CU(cuArrayDestroy(array));
    ledger_minus(4 * MIB, "array", "cuArrayDestroy");
    return 0;
}

// Six layers: here Depth counts layers.
static int array_layered(void) {
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 256,
                                     .Height = 256,
                                     .Depth = 6,
                                     .Format = CU_AD_FORMAT_UNSIGNED_INT16,
                                     .NumChannels = 1,
                                     .Flags = CUDA_ARRAY3D_LAYERED};
    CUarray array;

    open_device();
    CU(cuArray3DCreate(&array, &shape));
    ledger_plus(786432, "array", "cuArray3DCreate_v2");
    took();
    CU(cuArrayDestroy(array));
    ledger_minus(786432, "array", "cuArrayDestroy");
    return 0;
}

// 512, 256, 128, 64, 32 squared: 349184 elements of 16 bytes.
static int mipmap(void) {
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 512, .Height = 512, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4};
    CUmipmappedArray array;

    open_device();
    CU(cuMipmappedArrayCreate(&array, &shape, 5));
    ledger_plus(5586944, "array", "cuMipmappedArrayCreate");
    took();
    CU(cuMipmappedArrayDestroy(array));
    ledger_minus(5586944, "array", "cuMipmappedArrayDestroy");
    return 0;
}

static const struct ledger_row rows[] = {
    {"array-1d", array_1d},     {"array-2d", array_2d}, {"array-3d", array_3d},
    {"layered", array_layered}, {"mipmap", mipmap},
};
LEDGER_MAIN(rows)
