/*
 * Disjoint address ranges: which one holds an address.
 */
#include "tests/unit/trace_files.h"
#include "viewer/base/ranges.h"

static void test_an_address_is_found_in_its_range_only(void **state) {
    (void)state;
    struct mt_ranges ranges = {0};
    mt_ranges_add(&ranges, 100, 10, 1);
    mt_ranges_add(&ranges, 110, 10, 2);
    assert_null(mt_ranges_find(&ranges, 99));
    assert_int_equal(mt_ranges_find(&ranges, 100)->value, 1);
    assert_int_equal(mt_ranges_find(&ranges, 109)->value, 1);
    assert_int_equal(mt_ranges_find(&ranges, 110)->value, 2);
    assert_null(mt_ranges_find(&ranges, 120));
    mt_ranges_clear(&ranges);
}

static void test_a_new_range_ends_those_it_overlaps(void **state) {
    (void)state;
    struct mt_ranges ranges = {0};
    mt_ranges_add(&ranges, 100, 10, 1);
    mt_ranges_add(&ranges, 110, 10, 2);
    mt_ranges_add(&ranges, 105, 10, 3);
    assert_null(mt_ranges_find(&ranges, 104));
    assert_int_equal(mt_ranges_find(&ranges, 105)->value, 3);
    assert_null(mt_ranges_find(&ranges, 115));
    mt_ranges_clear(&ranges);
}

static void test_ranges_are_taken_out_until_none_is_left(void **state) {
    (void)state;
    struct mt_ranges ranges = {0};
    struct mt_range taken;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 1000; i++) mt_ranges_add(&ranges, i * 10, 10, i);
    while (mt_ranges_take(&ranges, 95, 20, &taken)) sum += taken.value;
    assert_int_equal(sum, 9 + 10 + 11);
    assert_null(mt_ranges_find(&ranges, 100));
    assert_int_equal(mt_ranges_find(&ranges, 120)->value, 12);
    mt_ranges_clear(&ranges);
}

static void test_the_top_of_the_address_space_does_not_wrap(void **state) {
    (void)state;
    struct mt_ranges ranges = {0};
    mt_ranges_add(&ranges, UINT64_MAX - 5, 100, 1);
    assert_int_equal(mt_ranges_find(&ranges, UINT64_MAX - 1)->value, 1);
    assert_null(mt_ranges_find(&ranges, 50));
    mt_ranges_clear(&ranges);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_address_is_found_in_its_range_only),
        cmocka_unit_test(test_a_new_range_ends_those_it_overlaps),
        cmocka_unit_test(test_ranges_are_taken_out_until_none_is_left),
        cmocka_unit_test(test_the_top_of_the_address_space_does_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
