/*
 * The line report, as text: which line is a checkpoint, how rows are grouped, how loops are folded. The traces are
 * written event by event; what is expected stands here literally.
 */
#include "tests/unit/scripts.h"
#include "viewer/views/views.h"

// The report with its date blanked, which is that of the test's run.
static char *lines_of(struct script *script) {
    char *text = script_show(script_report(script), mt_view_lines);
    char *date = strstr(text, "Memory Track | ");
    while (date) {
        memcpy(date + 15, "DD-MMM-YY-HH:MM:SS", 18);
        date = strstr(date + 15, "Memory Track | ");
    }
    return text;
}

static void expect(struct script *script, const char *expected) {
    char *text = lines_of(script);
    assert_string_equal(text, expected);
    free(text);
    script_close(script);
}

#define HEADER "GPU Memory Track | DD-MMM-YY-HH:MM:SS | "

static void test_no_memory_no_rows(void **state) {
    expect(script_begin(state), "No allocation of device or pinned memory was recorded.\n\n");
}

static void test_report_of_a_small_program(void **state) {
    struct script *script = script_begin(state);
    uint32_t create = script_stack(script, "parameters_create train.py:88", "main train.py:141", NULL);
    uint32_t drop = script_stack(script, "activations_free train.py:131", "main train.py:142", NULL);
    script_event(script, MT_EFFECT_SAMPLED, 0, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, (uint64_t)564973609, 0);
    for (uint64_t i = 0; i < 4; i++)
        script_alloc(script, script->malloc_api, 0x10000000 + i * 4 * MIB, 4 * MIB, create);
    script_free(script, script->free_api, 0x10000000, drop);
    expect(
        script, HEADER
        "Total Tensor Used Memory:0.0    Mb Total Allocated Memory:538.8  Mb\n"
        "\n"
        "+ | 4 * Size:4194304              | Memory: 16.000 M | cuMemAlloc           | train.py:88 parameters_create\n"
        "At train.py line 141: main                            Total Tensor Used Memory:16.0   Mb "
        "Total Allocated Memory:554.8  Mb\n"
        "\n"
        "- | 1 * Size:4194304              | Memory: 4.0000 M | cuMemFree            | train.py:131 "
        "activations_free\n"
        "At train.py line 142: main                            Total Tensor Used Memory:12.0   Mb "
        "Total Allocated Memory:550.8  Mb\n"
        "\n");
}

static void test_rows_of_a_checkpoint_are_grouped_and_frees_come_last(void **state) {
    struct script *script = script_begin(state);
    uint32_t step = script_stack(script, "step t.py:5", "main t.py:9", NULL);
    uint32_t other = script_stack(script, "other t.py:7", "main t.py:9", NULL);
    for (uint64_t i = 1; i <= 7; i++) script_alloc(script, script->malloc_api, i << 24, 9 * MIB, step);
    for (uint64_t i = 1; i <= 6; i++) script_free(script, script->free_api, i << 24, step); // not "+6 -7"
    script_alloc(script, script->malloc_api, 1 << 24, 512, step);
    script_alloc(script, script->malloc_api, 2 << 24, 512, other);
    script_free(script, script->free_api, 7 << 24, script_stack(script, "main t.py:10", NULL));
    expect(script, HEADER "Total Tensor Used Memory:0.0    Mb Total Allocated Memory:0.0    Mb\n"
                          "\n"
                          "+ | 7 * Size:9437184              | Memory: 63.000 M | cuMemAlloc           | t.py:5 step\n"
                          "+ | 1 * Size:512                  | Memory: 512    B | cuMemAlloc           | t.py:5 step\n"
                          "+ | 1 * Size:512                  | Memory: 512    B | cuMemAlloc           | t.py:7 other\n"
                          "- | 6 * Size:9437184              | Memory: 54.000 M | cuMemFree            | t.py:5 step\n"
                          "At t.py line 9: main                                  Total Tensor Used Memory:9.0    Mb "
                          "Total Allocated Memory:9.0    Mb\n"
                          "\n"
                          "- | 1 * Size:9437184              | Memory: 9.0000 M | cuMemFree            | t.py:10 main\n"
                          "At t.py line 10: main                                 Total Tensor Used Memory:0.0010 Mb "
                          "Total Allocated Memory:0.0010 Mb\n"
                          "\n");
}

static void test_no_stack_and_a_failed_call_are_said(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, MIB, 0);
    script_event(script, MT_EFFECT_FAILED, script->malloc_api, 0, MT_TAG_RESULT, (uint64_t)2, MT_TAG_BYTES, MIB, 0);
    expect(script, HEADER "Total Tensor Used Memory:0.0    Mb Total Allocated Memory:0.0    Mb\n"
                          "\n"
                          "+ | 1 * Size:1048576              | Memory: 1.0000 M | cuMemAlloc           | unknown\n"
                          "! | 1 * Size:1048576              | Memory: 1.0000 M | cuMemAlloc           | unknown\n"
                          "At unknown                                            Total Tensor Used Memory:1.0    Mb "
                          "Total Allocated Memory:1.0    Mb\n"
                          "\n"
                          "1 call failed: see --summary.\n"
                          "\n");
}

static void test_devices_and_host_memory_are_reported_apart(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "main t.py:3", NULL);
    script_alloc(script, script->malloc_api, 0x1000, MIB, stack);
    script->context = 2;
    script_alloc(script, script->malloc_api, 0x2000, 2 * MIB, stack);
    script_alloc(script, script->pinned_api, 0x3000, 3 * MIB, stack);
    expect(script,
           "Device 0 (Test GPU)\n" HEADER "Total Tensor Used Memory:0.0    Mb Total Allocated Memory:0.0    Mb\n"
           "\n"
           "+ | 1 * Size:1048576              | Memory: 1.0000 M | cuMemAlloc           | t.py:3 main\n"
           "At t.py line 3: main                                  Total Tensor Used Memory:1.0    Mb "
           "Total Allocated Memory:1.0    Mb\n"
           "\n"
           "Device 1 (Test GPU)\n" HEADER "Total Tensor Used Memory:0.0    Mb Total Allocated Memory:0.0    Mb\n"
           "\n"
           "+ | 1 * Size:2097152              | Memory: 2.0000 M | cuMemAlloc           | t.py:3 main\n"
           "At t.py line 3: main                                  Total Tensor Used Memory:2.0    Mb "
           "Total Allocated Memory:2.0    Mb\n"
           "\n"
           "Host memory (pinned, registered, managed)\n"
           "Host Memory Track | DD-MMM-YY-HH:MM:SS | Total Host Memory:0.0    Mb\n"
           "\n"
           "+ | 1 * Size:3145728              | Memory: 3.0000 M | cuMemHostAlloc       | t.py:3 main\n"
           "At t.py line 3: main                                  Total Host Memory:3.0    Mb\n"
           "\n");
}

static void test_a_segment_is_named_as_such(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "main t.py:3", NULL);
    uint32_t tensor = mt_define_api(script->trace, "tensor", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    script_alloc(script, script->malloc_api, 0x10000000, 20 * MIB, stack);
    script_alloc(script, tensor, 0x10000000, MIB, stack);
    expect(script, HEADER "Total Tensor Used Memory:0.0    Mb Total Allocated Memory:0.0    Mb\n"
                          "\n"
                          "+ | 1 * Size:20971520             | Memory: 20.000 M | cuMemAlloc, segment  | t.py:3 main\n"
                          "+ | 1 * Size:1048576              | Memory: 1.0000 M | tensor               | t.py:3 main\n"
                          "At t.py line 3: main                                  Total Tensor Used Memory:1.0    Mb "
                          "Total Allocated Memory:20.0   Mb\n"
                          "\n");
}

static void test_a_loop_is_folded_and_its_leak_is_shown(void **state) {
    struct script *script = script_begin(state);
    uint32_t first = script_stack(script, "main t.py:1", NULL);
    uint32_t make = script_stack(script, "forward t.py:20", "main t.py:4", NULL);
    uint32_t keep = script_stack(script, "main t.py:5", NULL);
    uint32_t drop = script_stack(script, "backward t.py:30", "main t.py:6", NULL);
    script_alloc(script, script->malloc_api, 0x100000, 8 * MIB, first);
    for (uint64_t step = 0; step < 1000; step++) {
        script_alloc(script, script->malloc_api, 0x200000, 2 * MIB, make);
        script_alloc(script, script->malloc_api, 0x10000000 + step * 0x1000, 4096, keep);
        script_free(script, script->free_api, 0x200000, drop);
    }
    expect(script,
           HEADER "Total Tensor Used Memory:0.0    Mb Total Allocated Memory:0.0    Mb\n"
                  "\n"
                  "+ | 1 * Size:8388608              | Memory: 8.0000 M | cuMemAlloc           | t.py:1 main\n"
                  "At t.py line 1: main                                  Total Tensor Used Memory:8.0    Mb "
                  "Total Allocated Memory:8.0    Mb\n"
                  "\n"
                  "× 1000: the next 3 checkpoints were repeated; totals as of the last time\n"
                  "grew from 8.00 MiB after the first to 11.9 MiB after the last: 4,096 bytes each time\n"
                  "\n"
                  "+ | 1 * Size:2097152              | Memory: 2.0000 M | cuMemAlloc           | t.py:20 forward\n"
                  "At t.py line 4: main                                  Total Tensor Used Memory:13.9   Mb "
                  "Total Allocated Memory:13.9   Mb\n"
                  "\n"
                  "+ | 1 * Size:4096                 | Memory: 4.0000 K | cuMemAlloc           | t.py:5 main\n"
                  "At t.py line 5: main                                  Total Tensor Used Memory:13.9   Mb "
                  "Total Allocated Memory:13.9   Mb\n"
                  "\n"
                  "- | 1 * Size:2097152              | Memory: 2.0000 M | cuMemFree            | t.py:30 backward\n"
                  "At t.py line 6: main                                  Total Tensor Used Memory:11.9   Mb "
                  "Total Allocated Memory:11.9   Mb\n"
                  "\n"
                  "× 1000 ends\n"
                  "\n");
}

static void test_one_checkpoint_repeated_stays_one_block(void **state) {
    struct script *script = script_begin(state);
    uint32_t work = script_stack(script, "work t.py:20", "main t.py:4", NULL);
    uint32_t rest = script_stack(script, "main t.py:5", NULL);
    script_alloc(script, script->malloc_api, 0x1000, MIB, rest);
    for (uint64_t step = 0; step < 3; step++) {
        script_alloc(script, script->malloc_api, 0x200000, 2 * MIB, work);
        script_free(script, script->free_api, 0x200000, work);
    }
    expect(script, HEADER "Total Tensor Used Memory:0.0    Mb Total Allocated Memory:0.0    Mb\n"
                          "\n"
                          "+ | 1 * Size:1048576              | Memory: 1.0000 M | cuMemAlloc           | t.py:5 main\n"
                          "At t.py line 5: main                                  Total Tensor Used Memory:1.0    Mb "
                          "Total Allocated Memory:1.0    Mb\n"
                          "\n"
                          "+ | 3 * Size:2097152              | Memory: 6.0000 M | cuMemAlloc           | t.py:20 work\n"
                          "- | 3 * Size:2097152              | Memory: 6.0000 M | cuMemFree            | t.py:20 work\n"
                          "At t.py line 4: main                                  Total Tensor Used Memory:1.0    Mb "
                          "Total Allocated Memory:1.0    Mb\n"
                          "\n");
}

// Checkpoints in order, as "line, line, …".
static void expect_checkpoints(struct script *script, const char *expected) {
    char *text = lines_of(script), found[256] = "";
    for (char *at = strstr(text, "\nAt "); at; at = strstr(at + 1, "\nAt ")) {
        char file[32], line[16];
        assert_int_equal(sscanf(at, "\nAt %31s line %15[0-9]", file, line), 2);
        if (*found) strcat(found, " ");
        strcat(found, line);
    }
    assert_string_equal(found, expected);
    free(text);
    script_close(script);
}

static void test_a_program_below_one_line_is_reported_by_the_lines_there(void **state) {
    struct script *script = script_begin(state);
    uint32_t make = script_stack(script, "make t.py:10", "run t.py:50", "<module> t.py:99", NULL);
    uint32_t step = script_stack(script, "step t.py:20", "run t.py:51", "<module> t.py:99", NULL);
    script_alloc(script, script->malloc_api, 0x1000, MIB, make);
    script_alloc(script, script->malloc_api, 0x2000, MIB, step);
    expect_checkpoints(script, "50 51");
}

static void test_a_loop_below_one_line_is_reported_by_the_lines_of_its_body(void **state) {
    struct script *script = script_begin(state);
    uint32_t setup = script_stack(script, "make t.py:10", "main t.py:98", NULL);
    uint32_t forward = script_stack(script, "forward t.py:20", "train t.py:50", "main t.py:99", NULL);
    uint32_t backward = script_stack(script, "backward t.py:30", "train t.py:51", "main t.py:99", NULL);
    uint32_t end = script_stack(script, "main t.py:100", NULL);
    script_alloc(script, script->malloc_api, 0x1000, MIB, setup);
    for (uint64_t i = 0; i < 3; i++) {
        script_alloc(script, script->malloc_api, 0x2000, MIB, forward);
        script_free(script, script->free_api, 0x2000, backward);
    }
    script_free(script, script->free_api, 0x1000, end);
    expect_checkpoints(script, "98 50 51 100"); // 50 and 51 in a fold
}

static void test_a_loop_is_found_below_lines_that_only_call_on(void **state) {
    struct script *script = script_begin(state);
    uint32_t setup = script_stack(script, "make t.py:10", "main t.py:98", NULL);
    uint32_t forward = script_stack(script, "net t.py:20", "train t.py:50", "fit t.py:60", "main t.py:99", NULL);
    uint32_t backward = script_stack(script, "grad t.py:30", "train t.py:51", "fit t.py:60", "main t.py:99", NULL);
    script_alloc(script, script->malloc_api, 0x1000, MIB, setup);
    for (uint64_t i = 0; i < 3; i++) {
        script_alloc(script, script->malloc_api, 0x2000, MIB, forward);
        script_free(script, script->free_api, 0x2000, backward);
    }
    expect_checkpoints(script, "98 50 51");
}

static void test_a_loop_that_only_builds_something_up_is_one_checkpoint(void **state) {
    struct script *script = script_begin(state);
    uint32_t weight = script_stack(script, "weight t.py:10", "layer t.py:20", "main t.py:99", NULL);
    uint32_t bias = script_stack(script, "bias t.py:11", "layer t.py:21", "main t.py:99", NULL);
    uint32_t end = script_stack(script, "main t.py:100", NULL);
    for (uint64_t i = 0; i < 3; i++) {
        script_alloc(script, script->malloc_api, 0x1000 + 0x100 * i, 16, weight);
        script_alloc(script, script->malloc_api, 0x2000 + 0x100 * i, 16, bias);
    }
    script_free(script, script->free_api, 0x1000, end);
    expect_checkpoints(script, "99 100");
}

static void test_a_function_that_allocates_in_a_loop_is_one_checkpoint(void **state) {
    struct script *script = script_begin(state);
    uint32_t weight = script_stack(script, "create t.py:10", "main t.py:99", NULL);
    uint32_t bias = script_stack(script, "create t.py:11", "main t.py:99", NULL);
    uint32_t end = script_stack(script, "main t.py:100", NULL);
    for (uint64_t i = 0; i < 3; i++) {
        script_alloc(script, script->malloc_api, 0x1000 + 0x100 * i, 16, weight);
        script_alloc(script, script->malloc_api, 0x2000 + 0x100 * i, 16, bias);
    }
    script_free(script, script->free_api, 0x1000, end);
    expect_checkpoints(script, "99 100");
}

static void test_another_threads_event_closes_the_checkpoint(void **state) {
    struct script *script = script_begin(state);
    uint32_t mine = script_stack(script, "main t.py:1", NULL), theirs = script_stack(script, "worker t.py:70", NULL);
    script_alloc(script, script->malloc_api, 0x1000, 1, mine);
    script->thread = 1;
    script_alloc(script, script->malloc_api, 0x2000, 1, theirs);
    script->thread = 0;
    script_alloc(script, script->malloc_api, 0x3000, 2, mine);
    expect_checkpoints(script, "1 70 1");
}

// A loop that lies on one line of a function, as PyTorch's steps often do: what begins a step is a forward.
static void test_a_line_that_goes_on_for_steps_has_a_block_for_each(void **state) {
    struct script *script = script_begin(state);
    uint32_t model = script_stack(script, "__init__ /x/site-packages/torch/nn/modules/linear.py:9", "train t.py:2",
                                  "main t.py:9", NULL);
    uint32_t forward = script_stack(script, "forward /x/site-packages/torch/nn/modules/linear.py:99", "train t.py:4",
                                    "main t.py:9", NULL);
    uint32_t result = script_stack(script, "train t.py:4", "main t.py:9", NULL);
    script_alloc(script, script->malloc_api, 0x10000000, 2 * MIB, model);
    for (uint64_t i = 0; i < 20; i++) {
        script_alloc(script, script->malloc_api, 0x20000000 + i * 4 * MIB, 2 * MIB, forward);
        script_alloc(script, script->malloc_api, 0x40000000, 4 * MIB, result);
        script_free(script, script->free_api, 0x40000000, result);
    }
    char *text = lines_of(script);
    char *block =
        strstr(text, "+ | 1 * Size:2097152              | Memory: 2.0000 M | cuMemAlloc           | t.py:2 train\n"
                     "At t.py line 2: train  ");
    assert_non_null(block);
    block = strstr(block, "+ | 1 * Size:2097152              | Memory: 2.0000 M | cuMemAlloc           | t.py:4 train\n"
                          "+ | 1 * Size:4194304              | Memory: 4.0000 M | cuMemAlloc           | t.py:4 train\n"
                          "- | 1 * Size:4194304              | Memory: 4.0000 M | cuMemFree            | t.py:4 train\n"
                          "At t.py line 4: train                                 Total Tensor Used Memory:42.0   Mb "
                          "Total Allocated Memory:42.0   Mb × 20\n"
                          "grew from 4.00 MiB after the first to 42.0 MiB after the last: 2,097,152 bytes each time\n");
    assert_non_null(block);
    free(text);
    script_close(script);
}

static void test_counts_of_two_digits_keep_the_columns(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "main t.py:1", NULL);
    for (uint64_t i = 1; i <= 601; i++) script_alloc(script, script->malloc_api, i << 24, MIB, stack);
    char *text = lines_of(script);
    assert_non_null(
        strstr(text, "+ | 601 * Size:1048576            | Memory: 601.00 M | cuMemAlloc           | t.py:1"));
    free(text);
    script_close(script);
}

static void test_a_long_name_widens_its_column_for_the_block(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "main t.py:1", NULL);
    uint32_t api = mt_define_api(script->trace, "cuMemAllocFromPoolAsync", MT_EFFECT_ALLOCATED, MT_MEMORY_POOL);
    script_alloc(script, script->malloc_api, 0x10000000, MIB, stack);
    script_alloc(script, api, 0x20000000, 2 * MIB, stack);
    char *text = lines_of(script);
    assert_non_null(
        strstr(text, "+ | 1 * Size:1048576              | Memory: 1.0000 M | cuMemAlloc              | t.py:1 main\n"
                     "+ | 1 * Size:2097152              | Memory: 2.0000 M | cuMemAllocFromPoolAsync | t.py:1 main\n"));
    free(text);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_no_memory_no_rows),
        TEST(test_a_line_that_goes_on_for_steps_has_a_block_for_each),
        TEST(test_counts_of_two_digits_keep_the_columns),
        TEST(test_a_long_name_widens_its_column_for_the_block),
        TEST(test_report_of_a_small_program),
        TEST(test_rows_of_a_checkpoint_are_grouped_and_frees_come_last),
        TEST(test_no_stack_and_a_failed_call_are_said),
        TEST(test_devices_and_host_memory_are_reported_apart),
        TEST(test_a_segment_is_named_as_such),
        TEST(test_a_loop_is_folded_and_its_leak_is_shown),
        TEST(test_one_checkpoint_repeated_stays_one_block),
        TEST(test_a_program_below_one_line_is_reported_by_the_lines_there),
        TEST(test_a_loop_below_one_line_is_reported_by_the_lines_of_its_body),
        TEST(test_a_loop_is_found_below_lines_that_only_call_on),
        TEST(test_a_loop_that_only_builds_something_up_is_one_checkpoint),
        TEST(test_a_function_that_allocates_in_a_loop_is_one_checkpoint),
        TEST(test_another_threads_event_closes_the_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
