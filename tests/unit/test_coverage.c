/*
 * What was seen of each entry point, what never was, and what is left out.
 */
#include "tests/unit/scripts.h"
#include "viewer/analysis/coverage.h"
#include "viewer/views/views.h"

static const struct mt_coverage_row *row_of(const struct mt_coverage *coverage, const char *name) {
    for (size_t i = 0; i < coverage->count; i++)
        if (strcmp(coverage->rows[i].api->name, name) == 0) return &coverage->rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void expect(const struct mt_coverage *coverage, const char *name, uint64_t events, uint64_t failed,
                   uint64_t bytes) {
    const struct mt_coverage_row *row = row_of(coverage, name);
    assert_int_equal(row->events, events);
    assert_int_equal(row->failed, failed);
    assert_int_equal(row->bytes, bytes);
}

static void test_events_failures_and_bytes_are_counted(void **state) {
    struct script *script = script_begin(state);
    struct mt_coverage coverage;
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script_alloc(script, script->malloc_api, 0x2000, 50, 0);
    script_event(script, MT_EFFECT_FAILED, script->malloc_api, 0, MT_TAG_RESULT, (uint64_t)2, MT_TAG_BYTES,
                 (uint64_t)1 << 45, 0);
    script_free(script, script->free_api, 0x1000, 0);
    mt_coverage_find(script_report(script), &coverage);
    expect(&coverage, "cuMemAlloc_v2", 3, 1, 150);
    expect(&coverage, "cuMemFree_v2", 1, 0, 100);
    expect(&coverage, "cuMemHostAlloc", 0, 0, 0);
    assert_int_equal(coverage.seen, 2);
    free(coverage.rows);
    script_close(script);
}

static void test_what_a_call_records_on_the_side_is_no_call(void **state) {
    struct script *script = script_begin(state);
    struct mt_coverage coverage;
    uint32_t stream = mt_define_api(script->trace, "cuStreamCreate", MT_EFFECT_SAMPLED, MT_MEMORY_DEVICE);
    script_alloc(script, script->async_api, 0x1000, 100, 0);
    script_event(script, MT_EFFECT_POOL_SAMPLED, script->async_api, 0, MT_TAG_POOL, (uint64_t)7, MT_TAG_POOL_RESERVED,
                 32 * MIB, 0);
    script_event(script, MT_EFFECT_SAMPLED, script->async_api, 0, MT_TAG_USED, 500 * MIB, 0);
    script_event(script, MT_EFFECT_SAMPLED, stream, 0, MT_TAG_USED, 502 * MIB, 0);
    mt_coverage_find(script_report(script), &coverage);
    expect(&coverage, "cuMemAllocAsync_ptsz", 1, 0, 100);
    expect(&coverage, "cuStreamCreate", 1, 0, 0);
    free(coverage.rows);
    script_close(script);
}

static void test_memory_that_ends_with_its_context_went_through_that_call(void **state) {
    struct script *script = script_begin(state);
    struct mt_coverage coverage;
    uint32_t destroy = mt_define_api(script->trace, "cuCtxDestroy_v2", MT_EFFECT_CONTEXT_ENDED, MT_MEMORY_DEVICE);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script_alloc(script, script->malloc_api, 0x2000, 50, 0);
    script_event(script, MT_EFFECT_CONTEXT_ENDED, destroy, 0, MT_TAG_CONTEXT, (uint64_t)1, 0);
    mt_coverage_find(script_report(script), &coverage);
    expect(&coverage, "cuCtxDestroy_v2", 1, 0, 150);
    free(coverage.rows);
    script_close(script);
}

static void test_the_table_also_has_what_was_never_seen_and_what_is_declined(void **state) {
    struct script *script = script_begin(state);
    mt_define_fact(script->trace, "feed", "both (cupti recorded)");
    mt_define_fact(script->trace, "only-cupti", "0");
    mt_define_fact(script->trace, "only-hooks", "2");
    mt_define_fact(script->trace, "declined", "cuEventCreate*: an event is a few bytes");
    mt_define_fact(script->trace, "declined", "cuTex*: a descriptor: no memory");
    script_alloc(script, script->malloc_api, 0x1000, 4096, 0);
    char *text = script_show(script_report(script), mt_view_coverage);
    const char *at = strstr(text, ": 1 of 10 entry points were seen\n");
    assert_non_null(at);
    assert_string_equal(
        strchr(at, '\n') + 1,
        "Recorded through both (cupti recorded); 0 calls were seen by CUPTI only, 2 by the hooks only.\n"
        "  entry point                              effect           memory         events   failed                "
        "bytes\n"
        "  cuMemAlloc_v2                            allocated        device              1        0                "
        "4,096\n"
        "\n"
        "Never seen in this trace:\n"
        "  cuMemFree_v2                             freed            device\n"
        "  cuMemAllocAsync_ptsz                     allocated        pool\n"
        "  cuMemHostAlloc                           allocated        pinned\n"
        "  cuMemFreeHost                            freed            pinned\n"
        "  cuMemCreate                              allocated        physical\n"
        "  cuMemAddressReserve                      reserved         address\n"
        "  cuMemMap                                 mapped           physical\n"
        "  cuMemUnmap                               unmapped         physical\n"
        "  cuMemRelease                             released         physical\n"
        "\n"
        "Not watched, on purpose:\n"
        "  cuEventCreate*                           an event is a few bytes\n"
        "  cuTex*                                   a descriptor: no memory\n"
        "\n");
    free(text);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_events_failures_and_bytes_are_counted),
        TEST(test_what_a_call_records_on_the_side_is_no_call),
        TEST(test_memory_that_ends_with_its_context_went_through_that_call),
        TEST(test_the_table_also_has_what_was_never_seen_and_what_is_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
