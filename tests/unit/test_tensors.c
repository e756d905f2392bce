/*
 * Traces of a framework with a caching allocator of its own: what counts as its tensors, and what stands beside them.
 */
#include "tests/unit/scripts.h"
#include "viewer/frameworks/autograd.h"
#include "viewer/views/views.h"

static void define_tensors(struct script *script) {
    script->tensor_api = mt_define_api(script->trace, "torch malloc", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    script->tensor_free_api = mt_define_api(script->trace, "torch free", MT_EFFECT_FREED, MT_MEMORY_TENSOR);
}

static void expect_text(const char *text, const char *expected) {
    if (!strstr(text, expected)) fail_msg("'%s' is not in:\n%s", expected, text);
}

// A library's 4 MiB, a segment of 2 MiB, in it first 512 bytes, then 1024; the first are freed.
static struct script *small_program(void **state) {
    struct script *script = script_begin(state);
    define_tensors(script);
    uint32_t handle = script_stack(script, "create t.py:1", NULL), tensor = script_stack(script, "new t.py:2", NULL);
    script_alloc(script, script->malloc_api, 0x800000, 4 * MIB, handle);
    script_alloc(script, script->malloc_api, 0x200000, 2 * MIB, tensor);
    script_alloc(script, script->tensor_api, 0x200000, 512, tensor);
    script_alloc(script, script->tensor_api, 0x200200, 1024, tensor);
    script_free(script, script->tensor_free_api, 0x200000, tensor);
    return script;
}

static void test_the_line_reports_total_is_what_the_framework_calls_allocated(void **state) {
    struct script *script = small_program(state);
    char *text = script_show(script_report(script), mt_view_lines);
    expect_text(text, "+ | 1 * Size:4194304              | Memory: 4.0000 M | cuMemAlloc           | t.py:1 create\n"
                      "At t.py line 1: create                                Total Tensor Used Memory:0.0    Mb "
                      "Total Allocated Memory:4.0    Mb\n");
    expect_text(text, "At t.py line 2: new                                   Total Tensor Used Memory:0.0010 Mb "
                      "Total Allocated Memory:6.0    Mb\n");
    free(text);
    script_close(script);
}

static void test_the_peak_tells_tensors_from_the_rest(void **state) {
    struct script *script = small_program(state);
    char *text = script_show(script_report(script), mt_view_peak);
    assert_string_equal(text,
                        "Device 0 (Test GPU): peak of 1,536 bytes (1.50 KiB) in tensors after 0.000 s\n"
                        "              bytes                share    count  call site\n"
                        "              1,536    1.50 KiB  100.0 %        2  t.py:2 new\n"
                        "              1,536    1.50 KiB  100.0 %        2  total\n"
                        "  Reserved by allocators for them: 2,097,152 bytes (2.00 MiB) in 1 segment.\n"
                        "  Beside the tensors, taken from the driver by libraries or the program itself:\n"
                        "              bytes                share    count  call site\n"
                        "          4,194,304    4.00 MiB  100.0 %        1  t.py:1 create\n"
                        "          4,194,304    4.00 MiB  100.0 %        1  total\n"
                        "  Device memory in use at that moment: 6,291,456 bytes (6.00 MiB).\n"
                        "  How long these had been live, and how long it took until they were freed, at most:\n"
                        "              bytes                count     live for  freed after  call site\n"
                        "              1,024    1.00 KiB        1      0.000 s            -  t.py:2 new, live at "
                        "the end\n"
                        "                512       512 B        1      0.000 s      0.000 s  t.py:2 new, freed by "
                        "t.py:2 new\n"
                        "\n");
    free(text);
    script_close(script);
}

static void test_the_summary_tells_tensors_from_segments_and_from_the_rest(void **state) {
    struct script *script = small_program(state);
    char *text = script_show(script_report(script), mt_view_summary);
    expect_text(text, "  tensors' peak      1,536 bytes (1.50 KiB) after 0.000 s, by t.py:2 new\n"
                      "    live at the end  1,024 bytes (1.00 KiB) in 1 allocation\n"
                      "    ever allocated   1,536 bytes in 2 allocations\n"
                      "  segments' peak     2,097,152 bytes (2.00 MiB) after 0.000 s, by t.py:2 new\n"
                      "    live at the end  2,097,152 bytes (2.00 MiB) in 1 allocation\n"
                      "    ever allocated   2,097,152 bytes in 1 allocation\n"
                      "  others' peak       4,194,304 bytes (4.00 MiB) after 0.000 s, by t.py:1 create\n");
    assert_null(strstr(text, "peak of use"));
    free(text);
    script_close(script);
}

static void write_figures(struct script *script, uint64_t allocated, uint64_t reserved) {
    script_event(script, MT_EFFECT_POOL_SAMPLED, 0, 0, MT_TAG_MEMORY, (uint64_t)MT_MEMORY_TENSOR, MT_TAG_DEVICE,
                 (uint64_t)0, MT_TAG_ALLOCATED, allocated, MT_TAG_ALLOCATOR_RESERVED, reserved);
}

static void test_the_frameworks_own_figures_are_checked(void **state) {
    struct script *script = small_program(state);
    write_figures(script, 1024, 2 * MIB);
    char *text = script_show(script_report(script), mt_view_summary);
    expect_text(text, "\n  torch's figures    1 sample, 0 mismatches\n");
    free(text);
    script_close(script);

    script = small_program(state);
    write_figures(script, 1024, 2 * MIB);
    write_figures(script, 1536, 2 * MIB);
    write_figures(script, 1024, 4 * MIB);
    text = script_show(script_report(script), mt_view_summary);
    expect_text(text,
                "\n  torch's figures    3 samples, 2 mismatches; the first after 0.000 s: allocated 1,024 (torch: "
                "1,536), reserved 2,097,152 (torch: 2,097,152)\n");
    free(text);
    script_close(script);
}

static void test_running_out_of_memory_shows_what_was_live_and_what_was_cached(void **state) {
    struct script *script = small_program(state);
    uint32_t torch = mt_define_api(script->trace, "torch out of memory", MT_EFFECT_OUT_OF_MEMORY, MT_MEMORY_TENSOR);
    uint32_t stack = script_stack(script, "grow t.py:8", "main t.py:9", NULL);
    script_event(script, MT_EFFECT_FAILED, script->malloc_api, stack, MT_TAG_RESULT, (uint64_t)2, MT_TAG_BYTES,
                 (uint64_t)64 << 30, 0);
    script_event(script, MT_EFFECT_OUT_OF_MEMORY, torch, stack, MT_TAG_BYTES, (uint64_t)64 << 30, MT_TAG_DEVICE,
                 (uint64_t)0, MT_TAG_ALLOCATED, (uint64_t)1024, MT_TAG_ALLOCATOR_RESERVED, 2 * MIB);
    char *text = script_show(script_report(script), mt_view_summary);
    expect_text(
        text,
        "\nFailed calls: 2\n"
        "  cuMemAlloc of 68,719,476,736 bytes (64.0 GiB): CUDA_ERROR_OUT_OF_MEMORY (2), after 0.000 s\n"
        "    at t.py:8 grow < t.py:9 main\n"
        "    device 0: 1,024 bytes (1.00 KiB) were live, 6,291,456 bytes of device memory in use of "
        "17,179,869,184\n"
        "  torch out of memory of 68,719,476,736 bytes (64.0 GiB): out of memory, after 0.000 s\n"
        "    at t.py:8 grow < t.py:9 main\n"
        "    device 0: 1,024 bytes (1.00 KiB) were live, 6,291,456 bytes of device memory in use of "
        "17,179,869,184\n"
        "    the allocator held 2,097,152 bytes (2.00 MiB), of which 2,096,128 bytes (2.00 MiB) were cached and free\n"
        "    cached: 2,096,128 bytes (2.00 MiB) in 2 holes beside tensors; the largest piece has 2,095,616 "
        "bytes (2.00 MiB)\n"
        "    live:                 1,024    1.00 KiB  t.py:2 new\n"
        "    beside:           4,194,304    4.00 MiB  t.py:1 create\n"
        "\n");
    free(text);
    script_close(script);
}

static void test_without_a_framework_all_that_is_used_counts(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x800000, 4 * MIB, 0);
    char *text = script_show(script_report(script), mt_view_summary);
    expect_text(text, "  peak of use        4,194,304 bytes (4.00 MiB) after 0.000 s, by unknown\n");
    assert_null(strstr(text, "tensors"));
    free(text);
    script_close(script);
}

static void test_autograd_nodes_are_told_by_their_functions(void **state) {
    static const char *const cases[][2] = {
        {"torch::autograd::generated::MmBackward0::apply", "MmBackward0"},
        {"torch::autograd::generated::PowBackward0::release_variables", "PowBackward0"},
        {"torch::autograd::CopyBackwards::apply", "CopyBackwards"},
        {"torch::autograd::AccumulateGrad::apply", "AccumulateGrad"},
        {"torch::autograd::Engine::thread_main", NULL},
        {"torch::autograd::generated::details::pow_backward", NULL},
        {"torch::autograd::generated::PowBackward0_apply_functional", NULL},
        {"at::native::mm_Backward0::apply", NULL},
        {"torch::autograd::", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char node[MT_AUTOGRAD_NODE_BYTES];
        assert_int_equal(mt_autograd_node(cases[i][0], node), cases[i][1] != NULL);
        if (cases[i][1]) assert_string_equal(node, cases[i][1]);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_the_line_reports_total_is_what_the_framework_calls_allocated),
        TEST(test_the_peak_tells_tensors_from_the_rest),
        TEST(test_the_summary_tells_tensors_from_segments_and_from_the_rest),
        TEST(test_autograd_nodes_are_told_by_their_functions),
        TEST(test_the_frameworks_own_figures_are_checked),
        TEST(test_running_out_of_memory_shows_what_was_live_and_what_was_cached),
        TEST(test_without_a_framework_all_that_is_used_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
