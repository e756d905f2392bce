/*
 * Sizes of arrays by format and extent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/effects/elements.h"

static void plain_formats_count_their_channels(void **state) {
    (void)state;
    struct mt_elements float4 = {CU_AD_FORMAT_FLOAT, 4, 1000, 1000, 0, 0};
    assert_int_equal(mt_elements_bytes(&float4, 1), 16000000);
    struct mt_elements byte1 = {CU_AD_FORMAT_UNSIGNED_INT8, 1, 7, 0, 0, 0};
    assert_int_equal(mt_elements_bytes(&byte1, 1), 7);
    struct mt_elements half2 = {CU_AD_FORMAT_HALF, 2, 10, 10, 3, 0};
    assert_int_equal(mt_elements_bytes(&half2, 1), 1200);
}

static void mipmap_levels_halve_every_extent(void **state) {
    (void)state;
    struct mt_elements flat = {CU_AD_FORMAT_FLOAT, 4, 512, 512, 0, 0};
    assert_int_equal(mt_elements_bytes(&flat, 5), 16 * (512 * 512 + 256 * 256 + 128 * 128 + 64 * 64 + 32 * 32));
    struct mt_elements solid = {CU_AD_FORMAT_UNSIGNED_INT8, 1, 4, 2, 4, 0};
    assert_int_equal(mt_elements_bytes(&solid, 3), 4 * 2 * 4 + 2 * 1 * 2 + 1);
}

static void layers_do_not_halve(void **state) {
    (void)state;
    struct mt_elements layered = {CU_AD_FORMAT_FLOAT, 1, 8, 8, 6, CUDA_ARRAY3D_LAYERED};
    assert_int_equal(mt_elements_bytes(&layered, 2), 4 * (64 + 16) * 6);
}

static void levels_end_with_a_single_element(void **state) {
    (void)state;
    struct mt_elements flat = {CU_AD_FORMAT_UNSIGNED_INT8, 1, 4, 4, 0, 0};
    assert_int_equal(mt_elements_bytes(&flat, 0), 16);
    assert_int_equal(mt_elements_bytes(&flat, 3), 16 + 4 + 1);
    assert_int_equal(mt_elements_bytes(&flat, 60), 16 + 4 + 1);
    struct mt_elements layered = {CU_AD_FORMAT_UNSIGNED_INT8, 1, 2, 1, 8, CUDA_ARRAY3D_LAYERED};
    assert_int_equal(mt_elements_bytes(&layered, 9), 2 * 8 + 8);
}

static void block_formats_round_up_to_blocks(void **state) {
    (void)state;
    struct mt_elements bc1 = {CU_AD_FORMAT_BC1_UNORM, 4, 5, 3, 0, 0};
    assert_int_equal(mt_elements_bytes(&bc1, 1), 2 * 8);
    struct mt_elements bc7 = {CU_AD_FORMAT_BC7_UNORM, 4, 8, 8, 0, 0};
    assert_int_equal(mt_elements_bytes(&bc7, 1), 4 * 16);
}

static void formats_with_fixed_channels_ignore_the_count(void **state) {
    (void)state;
    struct mt_elements nv12 = {CU_AD_FORMAT_NV12, 3, 1920, 1080, 0, 0};
    assert_int_equal(mt_elements_bytes(&nv12, 1), 1920 * 1080 * 3 / 2);
    struct mt_elements unorm = {CU_AD_FORMAT_UNORM_INT16X4, 4, 10, 1, 0, 0};
    assert_int_equal(mt_elements_bytes(&unorm, 1), 80);
    struct mt_elements snorm = {CU_AD_FORMAT_SNORM_INT8X2, 2, 10, 1, 0, 0};
    assert_int_equal(mt_elements_bytes(&snorm, 1), 20);
}

static void an_array_without_width_is_nothing(void **state) {
    (void)state;
    struct mt_elements none = {CU_AD_FORMAT_FLOAT, 1, 0, 4, 4, 0};
    assert_int_equal(mt_elements_bytes(&none, 1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_formats_count_their_channels),
        cmocka_unit_test(mipmap_levels_halve_every_extent),
        cmocka_unit_test(layers_do_not_halve),
        cmocka_unit_test(levels_end_with_a_single_element),
        cmocka_unit_test(block_formats_round_up_to_blocks),
        cmocka_unit_test(formats_with_fixed_channels_ignore_the_count),
        cmocka_unit_test(an_array_without_width_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
