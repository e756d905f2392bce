/*
 * Sizes as text: no wrong digit in any column.
 */
#include "tests/unit/trace_files.h"
#include "viewer/base/printable.h"
#include "viewer/base/units.h"

struct size_case {
    uint64_t bytes;
    const char *text;
};

static void check(const struct size_case *cases, size_t count, struct mt_size_text text(uint64_t, enum mt_units),
                  enum mt_units units) {
    for (size_t i = 0; i < count; i++) assert_string_equal(text(cases[i].bytes, units).text, cases[i].text);
}

static void test_memory_column_shows_six_characters(void **state) {
    static const struct size_case cases[] = {
        {(uint64_t)16 << 20, "16.000 M"},  {(uint64_t)1 << 20, "1.0000 M"}, {7ull * 512 * 512 * 3 * 3 * 4, "63.000 M"},
        {(uint64_t)128 << 20, "128.00 M"}, {(uint64_t)1 << 30, "1024.0 M"}, {574668960, "548.05 M"},
        {377487360, "360.00 M"},
    };
    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases), mt_memory_column, MT_UNITS_BINARY);
}

static void test_memory_column_takes_a_smaller_unit_rather_than_lose_digits(void **state) {
    static const struct size_case cases[] = {
        {0, "0      B"},      {1, "1      B"},      {512, "512    B"},     {1023, "1023   B"},
        {1024, "1.0000 K"},   {4096, "4.0000 K"},   {4100, "4.0039 K"},    {65536, "0.0625 M"},
        {524288, "0.5000 M"}, {524289, "512.00 K"}, {1000000, "976.56 K"},
    };
    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases), mt_memory_column, MT_UNITS_BINARY);
}

static void test_memory_column_widens_rather_than_lose_digits(void **state) {
    static const struct size_case cases[] = {
        {(uint64_t)10000 << 20, "10000  M"},
        {((uint64_t)10000 << 20) + (1 << 19), "10000.5 M"},
        {(uint64_t)256 << 30, "262144 M"},
        {(uint64_t)1 << 45, "33554432 M"},
        {10485759, "10.000 M"}, // one byte short of 10 MiB rounds up to five digits, not to 10.0000
    };
    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases), mt_memory_column, MT_UNITS_BINARY);
}

static void test_memory_column_in_decimal_units(void **state) {
    static const struct size_case cases[] = {
        {1000000, "1.0000 M"}, {66060288, "66.060 M"}, {1000, "0.0010 M"}, {1500, "0.0015 M"}, {1550, "1.5500 K"}};
    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases), mt_memory_column, MT_UNITS_DECIMAL);
}

static void test_totals_have_one_decimal_and_never_a_false_zero(void **state) {
    static const struct size_case cases[] = {
        {0, "0.0"},     {(uint64_t)16 << 20, "16.0"}, {564973609, "538.8"}, {4096, "0.0039"}, {512, "0.0005"},
        {1, "<0.0001"},
    };
    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases), mt_total_column, MT_UNITS_BINARY);
}

static void test_sizes_of_prose(void **state) {
    static const struct size_case binary[] = {
        {0, "0 B"}, {512, "512 B"}, {1024, "1.00 KiB"}, {16777216, "16.0 MiB"}, {1342177280, "1.25 GiB"}};
    static const struct size_case decimal[] = {{1000, "1.00 kB"}, {16777216, "16.8 MB"}};
    (void)state;
    check(binary, sizeof(binary) / sizeof(*binary), mt_size, MT_UNITS_BINARY);
    check(decimal, sizeof(decimal) / sizeof(*decimal), mt_size, MT_UNITS_DECIMAL);
}

static void test_exact_groups_digits(void **state) {
    (void)state;
    assert_string_equal(mt_exact(0).text, "0");
    assert_string_equal(mt_exact(999).text, "999");
    assert_string_equal(mt_exact(1000).text, "1,000");
    assert_string_equal(mt_exact(574668960).text, "574,668,960");
    assert_string_equal(mt_exact(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

static void test_a_single_thing_is_singular(void **state) {
    (void)state;
    assert_string_equal(mt_bytes(0).text, "0 bytes");
    assert_string_equal(mt_bytes(1).text, "1 byte");
    assert_string_equal(mt_bytes(574668960).text, "574,668,960 bytes");
    assert_string_equal(mt_counted(0, "block").text, "0 blocks");
    assert_string_equal(mt_counted(1, "block").text, "1 block");
    assert_string_equal(mt_counted(2, "block").text, "2 blocks");
}

static void test_an_amount_tells_its_size_where_that_is_shorter(void **state) {
    (void)state;
    assert_string_equal(mt_amount(1, MT_UNITS_BINARY).text, "1 byte");
    assert_string_equal(mt_amount(1023, MT_UNITS_BINARY).text, "1,023 bytes");
    assert_string_equal(mt_amount(1024, MT_UNITS_BINARY).text, "1,024 bytes (1.00 KiB)");
    assert_string_equal(mt_amount(1000, MT_UNITS_DECIMAL).text, "1,000 bytes (1.00 kB)");
    assert_string_equal(mt_amount(UINT64_MAX, MT_UNITS_BINARY).text, "18,446,744,073,709,551,615 bytes (16.0 EiB)");
}

static void expect_printable(const char *text, const char *expected) {
    char *printable = mt_printable(text, strlen(text)), *again = mt_printable(printable, strlen(printable));
    assert_string_equal(printable, expected);
    assert_string_equal(again, expected);
    free(again);
    free(printable);
}

static void test_text_is_printable_on_one_line(void **state) {
    (void)state;
    expect_printable("forward \\n \"x\"", "forward \\n \"x\"");
    expect_printable("größe 形 😀", "größe 形 😀");
    expect_printable("a\nb\tc\rd", "a\\nb\\tc\\rd");
    expect_printable("\x1b[31mred\x7f", "\\x1b[31mred\\x7f");
    expect_printable("\xff\xc3", "\\xff\\xc3");                 // no UTF-8
    expect_printable("\xc0\x8a", "\\xc0\\x8a");                 // a line's end, too long
    expect_printable("\xc2\x9b \u202egpj", "\\x9b \\u202egpj"); // a control, and text that runs backwards
}

static void test_text_can_be_quoted(void **state) {
    (void)state;
    static const char text[] = "say \"a\\b\"\n";
    char *quoted = mt_quoted(text, strlen(text));
    assert_string_equal(quoted, "\"say \\\"a\\\\b\\\"\\n\"");
    free(quoted);
}

static void test_text_is_as_wide_as_a_terminal_shows_it(void **state) {
    (void)state;
    assert_int_equal(mt_columns("größe"), 5);
    assert_int_equal(mt_columns("e\u0301"), 1);
    assert_int_equal(mt_columns("日本語.py"), 9);
    char *whole = mt_shortened("日本語", 6), *part = mt_shortened("日本語", 5), *plain = mt_shortened("abcdef", 4);
    assert_string_equal(whole, "日本語");
    assert_string_equal(part, "日本…");
    assert_string_equal(plain, "abc…");
    free(whole);
    free(part);
    free(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_column_shows_six_characters),
        cmocka_unit_test(test_memory_column_takes_a_smaller_unit_rather_than_lose_digits),
        cmocka_unit_test(test_memory_column_widens_rather_than_lose_digits),
        cmocka_unit_test(test_memory_column_in_decimal_units),
        cmocka_unit_test(test_totals_have_one_decimal_and_never_a_false_zero),
        cmocka_unit_test(test_sizes_of_prose),
        cmocka_unit_test(test_exact_groups_digits),
        cmocka_unit_test(test_a_single_thing_is_singular),
        cmocka_unit_test(test_an_amount_tells_its_size_where_that_is_shorter),
        cmocka_unit_test(test_text_is_printable_on_one_line),
        cmocka_unit_test(test_text_can_be_quoted),
        cmocka_unit_test(test_text_is_as_wide_as_a_terminal_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
