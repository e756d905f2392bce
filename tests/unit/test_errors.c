/*
 * Why a free failed, from what was in memory at that moment; and how failed calls are listed.
 */
#include "tests/unit/scripts.h"
#include "viewer/analysis/attribution.h"
#include "viewer/views/views.h"

static void fail_free(struct script *script, uint32_t api, uint32_t stack, uint64_t address) {
    script_event(script, MT_EFFECT_FAILED, api, stack, MT_TAG_RESULT, (uint64_t)1, MT_TAG_ADDRESS, address, 0);
}

static struct mt_report *report;
static struct mt_failures failures;
static struct mt_attribution *attributions;

static void find(struct script *script, size_t expected) {
    report = script_report(script);
    mt_failures_find(report, &failures);
    assert_int_equal(failures.count, expected);
    attributions = mt_attribution_find(report, &failures);
}

static void close_all(struct script *script) {
    free(failures.items);
    free(attributions);
    script_close(script);
}

// The runtime's first try on a thread without a context: the program's call succeeds.
static void test_what_the_runtime_asks_again_is_no_failure(void **state) {
    struct script *script = script_begin(state);
    script->context = 0;
    script_event(script, MT_EFFECT_FAILED, script->async_api, 0, MT_TAG_RESULT, (uint64_t)201, MT_TAG_BYTES,
                 (uint64_t)4096, 0);
    find(script, 0);
    close_all(script);
}

static void test_an_address_that_was_never_allocated(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    fail_free(script, script->free_api, 0, 0xbad0);
    find(script, 1);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_NEVER);
    close_all(script);
}

static void test_a_double_free_names_the_first_one(void **state) {
    struct script *script = script_begin(state);
    uint32_t create = script_stack(script, "create t.py:3", NULL), end = script_stack(script, "end t.py:7", NULL);
    script_alloc(script, script->malloc_api, 0x1000, 100, create);
    script_free(script, script->free_api, 0x1000, end);
    fail_free(script, script->free_api, 0, 0x1000);
    find(script, 1);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_GONE);
    assert_int_equal(attributions[0].bytes, 100);
    assert_int_equal(attributions[0].stack, create);
    assert_int_equal(attributions[0].end_stack, end);
    close_all(script);
}

static void test_an_address_that_is_used_again_is_not_gone(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script_free(script, script->free_api, 0x1000, 0);
    script->context = 2; // on device 1
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script->context = 1;
    fail_free(script, script->free_api, 0, 0x1000);
    find(script, 1);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_DEVICE);
    assert_int_equal(attributions[0].device, 1);
    close_all(script);
}

static void test_the_inside_of_an_allocation(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 4096, 0);
    fail_free(script, script->free_api, 0, 0x1200);
    fail_free(script, script->free_api, 0, 0x2000); // just behind it
    find(script, 2);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_INSIDE);
    assert_int_equal(attributions[0].offset, 512);
    assert_int_equal(attributions[0].bytes, 4096);
    assert_int_equal(attributions[1].kind, MT_ATTRIBUTION_NEVER);
    close_all(script);
}

static void test_memory_of_another_kind(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->pinned_api, 0x1000, 4096, 0);
    fail_free(script, script->free_api, 0, 0x1000);
    find(script, 1);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_KIND);
    assert_int_equal(attributions[0].memory, MT_MEMORY_PINNED);
    close_all(script);
}

// Graph 0x90 allocates 0x5000; 0x91 is what it was instantiated to.
static void graph_step(struct script *script, enum mt_graph_step step, uint64_t graph, uint64_t source) {
    script_event(script, MT_EFFECT_GRAPH, 0, 0, MT_TAG_ATTRIBUTE, (uint64_t)step, MT_TAG_GRAPH, graph, MT_TAG_VALUE,
                 source, 0);
}

static uint32_t make_graph(struct script *script) {
    uint32_t stack = script_stack(script, "capture t.py:5", NULL);
    script_event(script, MT_EFFECT_CAPTURED, script->async_api, stack, MT_TAG_ADDRESS, (uint64_t)0x5000, MT_TAG_BYTES,
                 (uint64_t)4096, MT_TAG_GRAPH, (uint64_t)0x90, 0);
    graph_step(script, MT_GRAPH_INSTANTIATED, 0x91, 0x90);
    return stack;
}

static void test_an_address_of_a_graph_that_was_not_launched(void **state) {
    struct script *script = script_begin(state);
    uint32_t capture = make_graph(script);
    fail_free(script, script->free_api, 0, 0x5000);
    graph_step(script, MT_GRAPH_LAUNCHED, 0x91, 0);
    script_free(script, script->free_api, 0x5000, 0);
    fail_free(script, script->free_api, 0, 0x5000);
    find(script, 1); // the same free twice; the first is explained
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_CAPTURED);
    assert_int_equal(attributions[0].bytes, 4096);
    assert_int_equal(attributions[0].stack, capture);
    close_all(script);
}

static void test_a_launch_while_its_memory_is_in_use(void **state) {
    struct script *script = script_begin(state);
    uint32_t capture = make_graph(script);
    graph_step(script, MT_GRAPH_LAUNCHED, 0x91, 0);
    script_event(script, MT_EFFECT_FAILED, 0, 0, MT_TAG_RESULT, (uint64_t)1, MT_TAG_GRAPH, (uint64_t)0x91, 0);
    script_free(script, script->free_api, 0x5000, 0);
    script_event(script, MT_EFFECT_FAILED, 0, capture, MT_TAG_RESULT, (uint64_t)1, MT_TAG_GRAPH, (uint64_t)0x91, 0);
    find(script, 2);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_UNFREED);
    assert_int_equal(attributions[0].stack, capture);
    assert_int_equal(attributions[1].kind, MT_ATTRIBUTION_NONE);
    close_all(script);
}

static void test_a_free_after_the_driver_has_gone_is_late(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script_event(script, MT_EFFECT_FAILED, script->free_api, 0, MT_TAG_RESULT, (uint64_t)4, MT_TAG_ADDRESS,
                 (uint64_t)0x1000, 0);
    script_event(script, MT_EFFECT_FAILED, script->malloc_api, 0, MT_TAG_RESULT, (uint64_t)4, MT_TAG_BYTES,
                 (uint64_t)64, 0);
    find(script, 1);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_LATE);
    assert_int_equal(attributions[0].bytes, 100);
    assert_int_equal(failures.late, 1);
    char *text = script_show(report, mt_view_live);
    assert_non_null(strstr(text, "  Of these, 100 bytes in 1 allocation were freed too late"));
    free(text);
    close_all(script);
}

static void fail_register(struct script *script, uint32_t api, uint64_t address, uint64_t bytes, uint64_t result) {
    script_event(script, MT_EFFECT_FAILED, api, 0, MT_TAG_RESULT, result, MT_TAG_BYTES, bytes, MT_TAG_ADDRESS, address,
                 0);
}

static void test_what_is_registered_can_t_be_registered_again(void **state) {
    struct script *script = script_begin(state);
    uint32_t api = mt_define_api(script->trace, "cuMemHostRegister_v2", MT_EFFECT_ALLOCATED, MT_MEMORY_REGISTERED);
    uint32_t stack = script_stack(script, "register t.py:5", NULL);
    script_alloc(script, api, 0x10000, 0x4000, stack);
    fail_register(script, api, 0xf000, 0x2000, 712);
    fail_register(script, api, 0x20000, 0x1000, 712);
    fail_register(script, api, 0x10000, 0x3000, 1);
    find(script, 3);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_REGISTERED);
    assert_int_equal(attributions[0].stack, stack);
    assert_int_equal(attributions[1].kind, MT_ATTRIBUTION_NONE);
    assert_int_equal(attributions[2].kind, MT_ATTRIBUTION_NONE);
    char *text = script_show(report, mt_view_errors);
    assert_non_null(strstr(text, "  cuMemHostRegister of 8,192 bytes (8.00 KiB) at 0xf000: "));
    assert_non_null(strstr(text, "    pinned already, in part or whole: 16,384 bytes (16.0 KiB), allocated by "
                                 "cuMemHostRegister at t.py:5 register\n"));
    assert_null(strstr(text, "device memory in use"));
    free(text);
    close_all(script);
}

static void test_managed_memory_has_no_order_of_a_stream(void **state) {
    struct script *script = script_begin(state);
    uint32_t managed = mt_define_api(script->trace, "cuMemAllocManaged", MT_EFFECT_ALLOCATED, MT_MEMORY_MANAGED);
    uint32_t free_async = mt_define_api(script->trace, "cuMemFreeAsync", MT_EFFECT_FREED, MT_MEMORY_POOL);
    script_alloc(script, managed, 0x1000, 100, 0);
    fail_free(script, free_async, 0, 0x1000);
    find(script, 1);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_KIND);
    assert_int_equal(attributions[0].memory, MT_MEMORY_MANAGED);
    close_all(script);
}

static void test_a_request_is_nobodys_mistake(void **state) {
    struct script *script = script_begin(state);
    script_event(script, MT_EFFECT_FAILED, script->malloc_api, 0, MT_TAG_RESULT, (uint64_t)2, MT_TAG_BYTES,
                 (uint64_t)1 << 45, 0);
    find(script, 1);
    assert_int_equal(attributions[0].kind, MT_ATTRIBUTION_NONE);
    close_all(script);
}

static void test_errors_are_listed_with_their_lines_and_reasons(void **state) {
    struct script *script = script_begin(state);
    uint32_t create = script_stack(script, "create t.py:3", "main t.py:9", NULL);
    uint32_t end = script_stack(script, "end t.py:7", "main t.py:10", NULL);
    script_alloc(script, script->malloc_api, 0x1000, 2 * MIB, create);
    script_free(script, script->free_api, 0x1000, end);
    for (int i = 0; i < 3; i++) fail_free(script, script->free_api, end, 0x1000);
    char *text = script_show(script_report(script), mt_view_errors);
    assert_string_equal(
        text, "Failed calls: 3\n"
              "  cuMemFree of 0x1000: CUDA_ERROR_INVALID_VALUE (1), after 0.000 s, and 2 times more\n"
              "    at t.py:7 end < t.py:10 main\n"
              "    gone already: 2,097,152 bytes (2.00 MiB), allocated by cuMemAlloc at t.py:3 create, ended after "
              "0.000 s by cuMemFree at t.py:7 end\n"
              "\n");
    free(text);
    script_close(script);
}

static void test_a_summary_shows_the_first_few(void **state) {
    struct script *script = script_begin(state);
    for (uint64_t i = 0; i < 9; i++) fail_free(script, script->free_api, 0, 0x1000 + i);
    char *text = script_show(script_report(script), mt_view_summary);
    assert_non_null(strstr(text, "\nFailed calls: 9\n"));
    assert_non_null(strstr(text, "  cuMemFree of 0x1004: "));
    assert_null(strstr(text, "  cuMemFree of 0x1005: "));
    assert_non_null(strstr(text, "\n  … 4 more calls: see --errors\n"));
    free(text);
    script_close(script);
}

static void test_no_call_failed(void **state) {
    struct script *script = script_begin(state);
    char *text = script_show(script_report(script), mt_view_errors);
    assert_string_equal(text, "No failed call was recorded.\n\n");
    free(text);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_what_the_runtime_asks_again_is_no_failure),
        TEST(test_an_address_that_was_never_allocated),
        TEST(test_a_double_free_names_the_first_one),
        TEST(test_what_is_registered_can_t_be_registered_again),
        TEST(test_managed_memory_has_no_order_of_a_stream),
        TEST(test_an_address_of_a_graph_that_was_not_launched),
        TEST(test_a_launch_while_its_memory_is_in_use),
        TEST(test_a_free_after_the_driver_has_gone_is_late),
        TEST(test_an_address_that_is_used_again_is_not_gone),
        TEST(test_the_inside_of_an_allocation),
        TEST(test_memory_of_another_kind),
        TEST(test_a_request_is_nobodys_mistake),
        TEST(test_errors_are_listed_with_their_lines_and_reasons),
        TEST(test_a_summary_shows_the_first_few),
        TEST(test_no_call_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
