/*
 * Varints and zigzag numbers at their limits.
 */
#include "tests/unit/trace_files.h"

#include "tracer/codec.h"

struct pair {
    uint64_t value;
    size_t count;
    uint8_t bytes[MT_VARINT_BYTES];
};

static const struct pair varints[] = {
    {0, 1, {0x00}},
    {127, 1, {0x7f}},
    {128, 2, {0x80, 0x01}},
    {16383, 2, {0xff, 0x7f}},
    {16384, 3, {0x80, 0x80, 0x01}},
    {UINT32_MAX, 5, {0xff, 0xff, 0xff, 0xff, 0x0f}},
    {UINT64_C(1) << 63, 10, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}},
    {UINT64_MAX, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
};

static void varints_are_leb128(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof varints / sizeof varints[0]; i++) {
        const struct pair *pair = &varints[i];
        uint8_t bytes[MT_VARINT_BYTES];
        uint64_t value = 1;
        assert_int_equal(mt_put_varint(bytes, pair->value) - bytes, pair->count);
        assert_memory_equal(bytes, pair->bytes, pair->count);
        assert_ptr_equal(mt_get_varint(bytes, bytes + pair->count, &value), bytes + pair->count);
        assert_int_equal(value, pair->value);
    }
}

static void a_cut_varint_is_refused_at_every_byte(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof varints / sizeof varints[0]; i++)
        for (size_t cut = 0; cut < varints[i].count; cut++) {
            uint64_t value;
            assert_null(mt_get_varint(varints[i].bytes, varints[i].bytes + cut, &value));
        }
}

static void a_varint_of_more_than_64_bits_is_refused(void **state) {
    (void)state;
    const uint8_t bit_64[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02};
    const uint8_t long_zero[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    uint64_t value;
    assert_null(mt_get_varint(bit_64, bit_64 + sizeof bit_64, &value));
    assert_null(mt_get_varint(long_zero, long_zero + sizeof long_zero, &value));
}

static void a_32_bit_field_refuses_more(void **state) {
    (void)state;
    const uint8_t most[] = {0xff, 0xff, 0xff, 0xff, 0x0f};
    const uint8_t more[] = {0x80, 0x80, 0x80, 0x80, 0x10};
    uint32_t value = 0;
    assert_ptr_equal(mt_get_varint32(most, most + sizeof most, &value), most + sizeof most);
    assert_int_equal(value, UINT32_MAX);
    assert_null(mt_get_varint32(more, more + sizeof more, &value));
}

static void zigzag_makes_small_magnitudes_small(void **state) {
    (void)state;
    assert_int_equal(mt_zigzag(0), 0);
    assert_int_equal(mt_zigzag((uint64_t)-1), 1);
    assert_int_equal(mt_zigzag(1), 2);
    assert_int_equal(mt_zigzag((uint64_t)INT64_MAX), UINT64_MAX - 1);
    assert_int_equal(mt_zigzag((uint64_t)INT64_MIN), UINT64_MAX);
    assert_int_equal(mt_unzigzag(UINT64_MAX), (uint64_t)INT64_MIN);
    assert_int_equal(mt_unzigzag(UINT64_MAX - 1), (uint64_t)INT64_MAX);
}

static void deltas_reach_any_value_from_any_other(void **state) {
    (void)state;
    const uint64_t values[] = {0, 1, 0x7f0000000000, UINT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) {
            uint8_t bytes[MT_VARINT_BYTES];
            uint8_t *end = mt_put_delta(bytes, values[j], values[i]);
            uint64_t value = values[i];
            assert_ptr_equal(mt_get_delta(bytes, end, &value), end);
            assert_int_equal(value, values[j]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_are_leb128),
        cmocka_unit_test(a_cut_varint_is_refused_at_every_byte),
        cmocka_unit_test(a_varint_of_more_than_64_bits_is_refused),
        cmocka_unit_test(a_32_bit_field_refuses_more),
        cmocka_unit_test(zigzag_makes_small_magnitudes_small),
        cmocka_unit_test(deltas_reach_any_value_from_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
