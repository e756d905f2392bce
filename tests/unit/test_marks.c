/*
 * NVTX in the report: shapes in the Size column, ranges as checkpoints and as groups.
 */
#include "tests/unit/scripts.h"
#include "viewer/frameworks/shape.h"
#include "viewer/views/views.h"

static void test_shapes_are_read_from_labels(void **state) {
    static const struct {
        const char *text;
        uint64_t bytes;
        const char *shape; // NULL: none
    } cases[] = {
        {"Size:(512, 512, 3, 3)", 512 * 512 * 9 * 4, "(512, 512, 3, 3)"},
        {"Size:(1)", 4, "(1)"},
        {"Size:(1)", 512, "(1)"}, // as an allocator rounds it
        {"weight [64,3]", 64 * 3 * 2, "(64, 3)"},
        {"torch.Size([10])", 80, "(10)"},
        {"aten::relu, seq = 3, sizes = [[8, 16]]", 8 * 16 * 4, "(8, 16)"},
        {"aten::mm, seq = 3, sizes = [[8, 16], [16, 4]]", 8 * 16 * 4, NULL}, // which one, or neither?
        {"aten::add, seq = 3, op_id = 7, sizes = [[8, 16], [8, 16], []], input_op_ids = [(1,0), (2,0)]", 512,
         "(8, 16)"},
        {"aten::mul, sizes = [[16], [8, 16]]", 512, "(8, 16)"},
        {"aten::mul, sizes = [[8, 1], [1, 16]]", 512, NULL},
        {"aten::mm, sizes = [[64, 512], [512, 1024]]", 64 * 1024 * 4, NULL}, // not (64, 512) of eight bytes
        {"aten::cat, sizes = [[8, 16], [8, 16]]", 1024, NULL},
        {"aten::max_pool2d, sizes = [[8, 4, 32, 32]]", 32768, NULL}, // not of one byte
        {"aten::softmax, sizes = [[8, 16], []]", 512, "(8, 16)"},
        {"aten::clamp_min, sizes = [[8, 16], []]", 512, "(8, 16)"}, // what relu does
        {"aten::maximum, sizes = [[8, 16], [16]]", 512, "(8, 16)"},
        {"aten::relu, sizes = [[8, 16", 512, NULL}, // the end is lost
        {"aten::empty, sizes = [[], [], []]", 512, NULL},
        {"weight (64, 3), again (64, 3)", 768, "(64, 3)"},
        {"weight (64, 3)", 100, NULL}, // speaks of something else
        {"step (12)", 48, NULL},
        {"forward", 4096, NULL},
        {"(1, 2", 8, NULL},
        {"(99999999999, 99999999999)", 8, NULL},
        {"()", 4, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char shape[MT_SHAPE_BYTES] = "";
        bool found = mt_shape_of(cases[i].text, cases[i].bytes, shape);
        assert_int_equal(found, cases[i].shape != NULL);
        if (found) assert_string_equal(shape, cases[i].shape);
    }
}

static void push(struct script *script, const char *text) {
    script_event(script, MT_EFFECT_RANGE_PUSHED, 0, 0, MT_TAG_TEXT, (uint64_t)mt_define_string(script->trace, text), 0);
}

static void pop(struct script *script) {
    script_event(script, MT_EFFECT_RANGE_POPPED, 0, 0, 0);
}

static void expect(struct script *script, void (*view)(struct mt_report *report, FILE *out), const char *expected) {
    char *text = script_show(script_report(script), view);
    char *body = strstr(text, "\n\n"); // behind the header, with its date
    assert_string_equal(body ? body + 2 : text, expected);
    free(text);
    script_close(script);
}

// forward { (64, 64) × 2 }, backward { frees one }, and a byte outside all ranges.
static struct script *phases(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "main t.py:1", NULL);
    push(script, "forward");
    for (uint64_t i = 1; i <= 2; i++) {
        push(script, "Size:(64, 64)");
        script_alloc(script, script->malloc_api, i << 20, 64 * 64 * 4, stack);
        pop(script);
    }
    pop(script);
    push(script, "backward");
    script_free(script, script->free_api, 1 << 20, stack);
    pop(script);
    script_alloc(script, script->malloc_api, 9 << 20, 1, stack);
    return script;
}

static void test_ranges_can_be_the_checkpoints(void **state) {
    struct script *script = phases(state);
    script_options.by = mt_by_find("mark");
    expect(script, mt_view_lines,
           "+ | 2 * Size:(64, 64)             | Memory: 32.000 K | cuMemAlloc           | t.py:1 main\n"
           "At forward                                            Total Tensor Used Memory:0.0312 Mb "
           "Total Allocated Memory:0.0312 Mb\n"
           "\n"
           "- | 1 * Size:(64, 64)             | Memory: 16.000 K | cuMemFree            | t.py:1 main\n"
           "At backward                                           Total Tensor Used Memory:0.0156 Mb "
           "Total Allocated Memory:0.0156 Mb\n"
           "\n"
           "+ | 1 * Size:1                    | Memory: 1      B | cuMemAlloc           | t.py:1 main\n"
           "At outside all ranges                                 Total Tensor Used Memory:0.0156 Mb "
           "Total Allocated Memory:0.0156 Mb\n"
           "\n");
}

static void test_operators_are_checkpoints_and_labels(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "main t.py:1", NULL);
    for (uint64_t i = 1; i <= 2; i++) {
        push(script, i == 1 ? "aten::relu, op_id = 1, sizes = [[64, 64]], input_op_ids = [(0,0)]"
                            : "aten::relu, op_id = 3, sizes = [[64, 64]], input_op_ids = [(2,0)]");
        push(script, "aten::empty_strided, op_id = 9, sizes = [[], [], [], [], [], []]");
        script_alloc(script, script->malloc_api, i << 20, 64 * 64 * 4, stack);
        pop(script);
        pop(script);
    }
    push(script, "aten::randn, seq = 4");
    script_alloc(script, script->malloc_api, 9 << 20, 1, stack);
    script_options.by = mt_by_find("mark");
    expect(script, mt_view_lines,
           "+ | 2 * Size:(64, 64)             | Memory: 32.000 K | cuMemAlloc           | t.py:1 main\n"
           "At aten::relu                                         Total Tensor Used Memory:0.0312 Mb "
           "Total Allocated Memory:0.0312 Mb\n"
           "\n"
           "+ | 1 * Size:1                    | Memory: 1      B | cuMemAlloc           | t.py:1 main\n"
           "At aten::randn                                        Total Tensor Used Memory:0.0313 Mb "
           "Total Allocated Memory:0.0313 Mb\n"
           "\n");
}

static void test_a_range_of_another_thread_or_domain_is_left_alone(void **state) {
    struct script *script = script_begin(state);
    uint64_t domain = mt_define_string(script->trace, "library"), inner = mt_define_string(script->trace, "inner");
    script_options.by = mt_by_find("mark");
    push(script, "mine");
    script_event(script, MT_EFFECT_RANGE_PUSHED, 0, 0, MT_TAG_TEXT, inner, MT_TAG_DOMAIN, domain, 0);
    script->thread = 1;
    pop(script); // nothing is open here
    push(script, "theirs");
    script->thread = 0;
    script_event(script, MT_EFFECT_RANGE_POPPED, 0, 0, MT_TAG_DOMAIN, domain, 0);
    script_alloc(script, script->malloc_api, 0x1000, 1, 0);
    struct mt_report *report = script_report(script);
    const struct mt_live *live = mt_model_find(report->end, MT_SPACE_ADDRESS, 0x1000);
    assert_non_null(live);
    assert_string_equal(mt_definitions_string(report->definitions, live->phase), "mine");
    script_close(script);
}

static void test_a_process_range_and_a_mark_stand_in_where_no_range_is_open(void **state) {
    struct script *script = script_begin(state);
    uint64_t epoch = mt_define_string(script->trace, "epoch"), here = mt_define_string(script->trace, "here");
    script_event(script, MT_EFFECT_MARKED, 0, 0, MT_TAG_TEXT, here, 0);
    script_alloc(script, script->malloc_api, 0x1000, 1, 0);
    script_event(script, MT_EFFECT_RANGE_STARTED, 0, 0, MT_TAG_TEXT, epoch, MT_TAG_RANGE, (uint64_t)5, 0);
    script_alloc(script, script->malloc_api, 0x2000, 2, 0);
    script_event(script, MT_EFFECT_RANGE_ENDED, 0, 0, MT_TAG_RANGE, (uint64_t)5, 0);
    script_alloc(script, script->malloc_api, 0x3000, 3, 0);
    struct mt_report *report = script_report(script);
    const char *expected[] = {"here", "epoch", "here"};
    for (uint64_t i = 0; i < 3; i++) {
        const struct mt_live *live = mt_model_find(report->end, MT_SPACE_ADDRESS, (i + 1) << 12);
        char *name = mt_phase_name(report->definitions, live->phase);
        assert_string_equal(name, expected[i]);
        assert_int_equal((live->phase & MT_PHASE_SINCE) != 0, i != 1);
        free(name);
    }
    script_close(script);
}

static void test_a_mark_tells_what_came_after_it(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "main t.py:1", NULL);
    uint64_t names[] = {mt_define_string(script->trace, "loaded"), mt_define_string(script->trace, "")};
    for (uint64_t i = 0; i < 2; i++) {
        script_event(script, MT_EFFECT_MARKED, 0, 0, MT_TAG_TEXT, names[i], 0);
        script_alloc(script, script->malloc_api, (i + 1) << 20, 512, stack);
    }
    push(script, "");
    script_alloc(script, script->malloc_api, 9 << 20, 512, stack);
    script_options.by = mt_by_find("mark");
    struct mt_report *report = script_report(script);
    char *lines = script_show(report, mt_view_lines), *table = script_show(report, mt_view_live);
    assert_non_null(strstr(lines, "\nSince loaded                                          Total Tensor Used"));
    assert_non_null(strstr(lines, "\nSince (unnamed)                                       Total Tensor Used"));
    assert_non_null(strstr(lines, "\nAt (unnamed)                                          Total Tensor Used"));
    assert_non_null(strstr(table, "  since loaded\n"));
    free(lines);
    free(table);
    script_close(script);
}

static void test_a_name_given_later_tells_the_shape_too(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "main t.py:1", NULL);
    uint64_t name = mt_define_string(script->trace, "weight, shape [8, 8]");
    script_alloc(script, script->malloc_api, 0x1000, 256, stack);
    script_event(script, MT_EFFECT_NAMED, 0, 0, MT_TAG_ADDRESS, (uint64_t)0x1000, MT_TAG_TEXT, name, 0);
    script_free(script, script->free_api, 0x1000, stack);
    expect(script, mt_view_lines,
           "+ | 1 * Size:256                  | Memory: 256    B | cuMemAlloc           | t.py:1 main\n"
           "- | 1 * Size:(8, 8)               | Memory: 256    B | cuMemFree            | t.py:1 main\n"
           "At t.py line 1: main                                  Total Tensor Used Memory:0.0    Mb "
           "Total Allocated Memory:0.0    Mb\n"
           "\n");
}

static void test_names_break_no_line_and_no_table(void **state) {
    struct script *script = script_begin(state);
    char name[4096];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    memcpy(name, "a\n\"b\x1b", 5);
    uint32_t stack = script_stack(script, "main /home/me/\x1b[1m.py:1", NULL);
    script_event(script, MT_EFFECT_RANGE_PUSHED, 0, 0, MT_TAG_TEXT, (uint64_t)mt_define_string(script->trace, name), 0);
    script_alloc(script, script->malloc_api, 0x200000, 512, stack);
    struct mt_report *report = script_report(script);
    char *dump = script_show(report, mt_view_dump);
    assert_non_null(strstr(dump, " text=\"a\\n\\\"b\\x1bxxxx"));
    assert_non_null(strstr(dump, " | \\x1b[1m.py:1 main\n"));
    script_options.by = mt_by_find("mark");
    char *live = script_show(report, mt_view_live), *lines = script_show(report, mt_view_lines);
    assert_non_null(strstr(live, "  1  a\\n\"b\\x1bxxx"));
    assert_null(strstr(live, name + 200));
    assert_non_null(strstr(lines, "At a\\n\"b\\x1bxxx"));
    assert_null(strstr(lines, name + 200));
    free(dump);
    free(live);
    free(lines);
    script_close(script);
}

static void test_a_mark_tells_what_a_device_without_tensors_holds(void **state) {
    struct script *script = script_begin(state);
    uint64_t step = mt_define_string(script->trace, "step 1");
    uint32_t pool_alloc = mt_define_api(script->trace, "cuMemAllocAsync", MT_EFFECT_ALLOCATED, MT_MEMORY_POOL);
    script_alloc(script, script->malloc_api, 0x200000, 2 * MIB, 0);
    script_alloc(script, pool_alloc, 0x600000, 512, 0);
    script_event(script, MT_EFFECT_POOL_SAMPLED, 0, 0, MT_TAG_POOL, (uint64_t)0x77, MT_TAG_POOL_RESERVED,
                 (uint64_t)(32 * MIB), 0);
    script_event(script, MT_EFFECT_MARKED, 0, 0, MT_TAG_TEXT, step, 0);
    char *text = script_show(script_report(script), mt_view_ledger);
    assert_non_null(strstr(text, "\n@ 0 tensors 0 peak 0 segments 0 physical 2097152 allocator 512 pools 33554432 "
                                 "step 1\n= "));
    free(text);
    script_close(script);
}

static void test_a_mark_tells_what_a_frameworks_allocator_holds(void **state) {
    struct script *script = script_begin(state);
    uint64_t step = mt_define_string(script->trace, "step 1");
    uint32_t tensor = mt_define_api(script->trace, "torch malloc", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    uint32_t tensor_free = mt_define_api(script->trace, "torch free", MT_EFFECT_FREED, MT_MEMORY_TENSOR);
    script_event(script, MT_EFFECT_MARKED, 0, 0, MT_TAG_TEXT, step, 0);
    script_alloc(script, script->malloc_api, 0x200000, 2 * MIB, 0); // a segment
    script_alloc(script, tensor, 0x200000, 512, 0);
    script_alloc(script, tensor, 0x200200, 1024, 0);
    script_alloc(script, script->malloc_api, 0x900000, 100, 0); // a library's own
    script_free(script, tensor_free, 0x200000, 0);
    script_event(script, MT_EFFECT_MARKED, 0, 0, MT_TAG_TEXT, step, 0);
    char *text = script_show(script_report(script), mt_view_ledger);
    assert_non_null(strstr(text, "@ 0 tensors 0 peak 0 segments 0 physical 0 allocator 0 pools 0 step 1\n+ 2097152 "));
    assert_non_null(strstr(text, "@ 0 tensors 1024 peak 1536 segments 2097152 physical 2097252 allocator 1024 pools 0 "
                                 "step 1\n= "));
    free(text);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_shapes_are_read_from_labels),
        TEST(test_ranges_can_be_the_checkpoints),
        TEST(test_operators_are_checkpoints_and_labels),
        TEST(test_a_mark_tells_what_came_after_it),
        TEST(test_a_range_of_another_thread_or_domain_is_left_alone),
        TEST(test_a_mark_tells_what_a_frameworks_allocator_holds),
        TEST(test_names_break_no_line_and_no_table),
        TEST(test_a_mark_tells_what_a_device_without_tensors_holds),
        TEST(test_a_process_range_and_a_mark_stand_in_where_no_range_is_open),
        TEST(test_a_name_given_later_tells_the_shape_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
