/*
 * What was live at the peak and at the end, as text: sorted, adding up, and saying what is left out.
 */
#include "tests/unit/scripts.h"
#include "viewer/analysis/composition.h"
#include "viewer/analysis/lifetimes.h"
#include "viewer/views/views.h"

static void expect(struct script *script, void (*view)(struct mt_report *report, FILE *out), const char *expected) {
    char *text = script_show(script_report(script), view);
    assert_string_equal(text, expected);
    free(text);
    script_close(script);
}

// Live at the peak: 3 × 1000 bytes of a, 500 of b. Live at the end: 1000 of a, 500 of b.
static struct script *small_program(void **state) {
    struct script *script = script_begin(state);
    uint32_t a = script_stack(script, "a t.py:1", "main t.py:9", NULL);
    uint32_t b = script_stack(script, "b t.py:2", "main t.py:9", NULL);
    script_alloc(script, script->malloc_api, 0x1000, 500, b);
    for (uint64_t i = 2; i < 5; i++) script_alloc(script, script->malloc_api, i << 12, 1000, a);
    for (uint64_t i = 2; i < 4; i++) script_free(script, script->free_api, i << 12, a);
    return script;
}

struct peak_of {
    const struct mt_report *report;
    struct mt_account account;
    struct mt_lifetimes *lives;
};

static int follow_from_the_fifth(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct peak_of *peak = user;
    if (change->index == 4) mt_lifetimes_take(peak->lives, model, &peak->account, change->event->time_ns);
    if (change->index > 4) mt_lifetimes_follow(peak->lives, change);
    return 0;
}

static void test_the_peak_is_composed_of_call_sites(void **state) {
    expect(small_program(state), mt_view_peak,
           "Device 0 (Test GPU): peak of 3,500 bytes (3.42 KiB) after 0.000 s\n"
           "              bytes                share    count  call site\n"
           "              3,000    2.93 KiB   85.7 %        3  t.py:1 a\n"
           "                500       500 B   14.3 %        1  t.py:2 b\n"
           "              3,500    3.42 KiB  100.0 %        4  total\n"
           "  Device memory in use at that moment: 3,500 bytes (3.42 KiB).\n"
           "  How long these had been live, and how long it took until they were freed, at most:\n"
           "              bytes                count     live for  freed after  call site\n"
           "              2,000    1.95 KiB        2      0.000 s      0.000 s  t.py:1 a, freed by t.py:1 a\n"
           "              1,000      1000 B        1      0.000 s            -  t.py:1 a, live at the end\n"
           "                500       500 B        1      0.000 s            -  t.py:2 b, live at the end\n"
           "\n");
}

// An event takes 1 µs. The moment is the fifth one.
static void test_lives_are_counted_from_the_peak(void **state) {
    struct script *script = script_begin(state);
    uint32_t first = script_stack(script, "first t.py:1", NULL), last = script_stack(script, "last t.py:2", NULL);
    script_alloc(script, script->malloc_api, 1 * MIB, MIB, first);
    script_alloc(script, script->malloc_api, 2 * MIB, MIB, first);
    script_free(script, script->free_api, 2 * MIB, first);
    script_alloc(script, script->malloc_api, 3 * MIB, 2 * MIB, last);
    script_alloc(script, script->malloc_api, 9 * MIB, 1, 0);
    script_free(script, script->free_api, 9 * MIB, 0);
    script_free(script, script->free_api, 3 * MIB, last);
    script_alloc(script, script->malloc_api, 3 * MIB, 1, last); // another one, where one was
    struct mt_report *report = script_report(script);
    struct peak_of peak = {.report = report, .account = {.device = 0}, .lives = mt_lifetimes_new(report)};
    mt_report_replay(report, follow_from_the_fifth, &peak);
    size_t count;
    const struct mt_lifetimes_row *rows = mt_lifetimes_rows(peak.lives, &count);
    assert_int_equal(count, 3);
    assert_string_equal(rows[0].label, "t.py:2 last");
    assert_string_equal(rows[0].end, "t.py:2 last");
    assert_int_equal(rows[0].bytes, 2 * MIB);
    assert_int_equal(rows[0].before_ns, 1000);
    assert_int_equal(rows[0].after_ns, 2000);
    assert_string_equal(rows[1].label, "t.py:1 first");
    assert_null(rows[1].end);
    assert_int_equal(rows[1].count, 1);
    assert_int_equal(rows[1].before_ns, 4000);
    assert_int_equal(rows[2].bytes, 1);
    mt_lifetimes_free(peak.lives);
    script_close(script);
}

static void test_what_is_live_at_exit(void **state) {
    struct script *script = small_program(state);
    script_options.by = mt_by_find("function");
    expect(script, mt_view_live,
           "Device 0 (Test GPU): 1,500 bytes (1.46 KiB) in 2 allocations live at exit\n"
           "              bytes                share    count  function\n"
           "              1,000      1000 B   66.7 %        1  t.py a\n"
           "                500       500 B   33.3 %        1  t.py b\n"
           "              1,500    1.46 KiB  100.0 %        2  total\n"
           "  Device memory in use at that moment: 1,500 bytes (1.46 KiB).\n"
           "\n");
}

static void test_nothing_is_left(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 500, 0);
    script_free(script, script->free_api, 0x1000, 0);
    expect(script, mt_view_live,
           "Device 0 (Test GPU): 0 bytes in 0 allocations live at exit\n"
           "  nothing\n"
           "\n");
}

static void test_top_says_what_it_leaves_out(void **state) {
    struct script *script = script_begin(state);
    for (uint64_t i = 1; i <= 5; i++) script_alloc(script, script->malloc_api, i << 12, i * 100, 0);
    script_options.by = mt_by_find("size");
    script_options.top = 2;
    expect(script, mt_view_live,
           "Device 0 (Test GPU): 1,500 bytes (1.46 KiB) in 5 allocations live at exit\n"
           "              bytes                share    count  size\n"
           "                500       500 B   33.3 %        1  500\n"
           "                400       400 B   26.7 %        1  400\n"
           "                600       600 B   40.0 %        3  … 3 more sizes\n"
           "              1,500    1.46 KiB  100.0 %        5  total\n"
           "  Device memory in use at that moment: 1,500 bytes (1.46 KiB).\n"
           "\n");
}

static void test_a_device_that_does_not_occur_is_said(void **state) {
    struct script *script = small_program(state);
    script_options.device = 5;
    expect(script, mt_view_peak, "Device 5 does not occur in this trace.\n\n");
}

static void test_one_device_of_several_is_shown_alone(void **state) {
    struct script *script = small_program(state);
    script->context = 2;
    script_alloc(script, script->malloc_api, 0x9000, 7, 0);
    script_alloc(script, script->pinned_api, 0xa000, 7, 0);
    script_options.device = 1;
    expect(script, mt_view_live,
           "Device 1 (Test GPU): 7 bytes in 1 allocation live at exit\n"
           "              bytes                share    count  call site\n"
           "                  7         7 B  100.0 %        1  unknown\n"
           "                  7         7 B  100.0 %        1  total\n"
           "  Device memory in use at that moment: 7 bytes.\n"
           "\n");
}

// The labels of the groups, in order.
static void expect_labels(struct script *script, const char *by, const char *expected) {
    script_options.by = mt_by_find(by);
    assert_non_null(script_options.by);
    struct mt_report *report = script_report(script);
    struct mt_composition composition;
    struct mt_account account = {.device = 0};
    mt_composition_make(report, report->end, &account, &composition);
    char found[256] = "";
    for (size_t i = 0; i < composition.total.group_count; i++) {
        if (i) strcat(found, ", ");
        strcat(found, composition.total.groups[i].label);
    }
    assert_string_equal(found, expected);
    mt_composition_clear(&composition);
    script_close(script);
}

static struct script *two_threads(void **state) {
    struct script *script = script_begin(state);
    script->cuda_stream = 0xab0;
    script_alloc(script, script->malloc_api, 0x1000, 300, script_stack(script, "a t.py:1", NULL));
    script->thread = 1;
    script->cuda_stream = 0;
    mt_define_thread_name(script->trace, 1001, "loader");
    script_alloc(script, script->malloc_api, 0x2000, 200, script_stack(script, "b u.py:2", NULL));
    return script;
}

static void test_groups_by_thread_stream_module_and_line(void **state) {
    expect_labels(two_threads(state), "thread", "1000, 1001 loader");
    expect_labels(two_threads(state), "stream", "0xab0, default");
    expect_labels(two_threads(state), "module", "t.py, u.py");
    expect_labels(two_threads(state), "line", "t.py:1 a, u.py:2 b");
    assert_null(mt_by_find("colour"));
}

static void test_pytorch_tells_no_stream(void **state) {
    struct script *script = two_threads(state);
    uint32_t tensor = mt_define_api(script->trace, "torch malloc", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    mt_define_fact(script->trace, "torch-reporter", "reportMemoryUsageToProfiler");
    script_alloc(script, tensor, 0x1000, 100, 0);
    script_options.by = mt_by_find("stream");
    char *text = script_show(script_report(script), mt_view_live);
    assert_non_null(strstr(text, "  100.0 %        1  not told by PyTorch\n"));
    free(text);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_the_peak_is_composed_of_call_sites),
        TEST(test_lives_are_counted_from_the_peak),
        TEST(test_what_is_live_at_exit),
        TEST(test_nothing_is_left),
        TEST(test_top_says_what_it_leaves_out),
        TEST(test_a_device_that_does_not_occur_is_said),
        TEST(test_one_device_of_several_is_shown_alone),
        TEST(test_pytorch_tells_no_stream),
        TEST(test_groups_by_thread_stream_module_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
