/*
 * Definitions: each thing once, before what refers to it, and readable as it was said.
 */
#include "tests/unit/trace_files.h"

static void equal_things_have_equal_ids(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    const struct mt_launch_shape shape = {.kernel = 1, .grid = {2, 3, 4}, .block = {5, 6, 7}, .shared_bytes = 8};
    const struct mt_launch_shape other = {.kernel = 1, .grid = {2, 3, 4}, .block = {5, 6, 7}, .shared_bytes = 9};

    assert_int_equal(mt_define_string(trace, "one"), 1);
    assert_int_equal(mt_define_string(trace, "two"), 2);
    assert_int_equal(mt_define_string(trace, "one"), 1);
    assert_int_equal(mt_define_string(trace, ""), 3);
    assert_int_equal(mt_define_api(trace, "one", MT_EFFECT_ALLOCATED, MT_MEMORY_DEVICE), 1);
    assert_int_equal(mt_define_api(trace, "one", MT_EFFECT_ALLOCATED, MT_MEMORY_DEVICE), 1);
    assert_int_equal(mt_define_kernel(trace, "one"), 1);
    assert_int_equal(mt_define_kernel(trace, "one"), 1);
    assert_int_equal(mt_define_launch(trace, &shape), 1);
    assert_int_equal(mt_define_launch(trace, &other), 2);
    assert_int_equal(mt_define_launch(trace, &shape), 1);
    assert_int_equal(mt_find_code(trace, 77), 0);
    assert_int_equal(mt_define_code(trace, 77, "f", "f.py", 3), 1);
    assert_int_equal(mt_define_code(trace, 77, "ignored", "ignored", 9), 1);
    assert_int_equal(mt_find_code(trace, 77), 1);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_int_equal(whole_count(&whole, MT_RECORD_STRING), 5); // one, two, "", f, f.py
    assert_int_equal(whole_count(&whole, MT_RECORD_API), 1);
    assert_int_equal(whole_count(&whole, MT_RECORD_KERNEL), 1);
    assert_int_equal(whole_count(&whole, MT_RECORD_LAUNCH_SHAPE), 2);
    assert_int_equal(whole_count(&whole, MT_RECORD_CODE), 1);
    whole_free(&whole);
    free(path);
}

static void contexts_are_told_apart(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    assert_int_equal(mt_define_context(trace, 0), 1);
    assert_int_equal(mt_define_context(trace, 0), 2);
    assert_int_equal(mt_define_context(trace, 3), 3);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_int_equal(whole_find(&whole, MT_RECORD_CONTEXT, 2)->device, 0);
    assert_int_equal(whole_find(&whole, MT_RECORD_CONTEXT, 3)->device, 3);
    whole_free(&whole);
    free(path);
}

static void every_field_arrives(void **state) {
    // given one definition of each kind
    static const uint8_t uuid[16] = {0xde, 0xad, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xff};
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    mt_define_api(trace, "cuMemAlloc_v2", MT_EFFECT_ALLOCATED, MT_MEMORY_DEVICE);
    mt_define_kernel(trace, "_Z6matmulPf");
    mt_define_device(trace, 1, UINT64_C(150754820096), "H200", uuid);
    mt_define_fact(trace, "rank", "7");
    mt_define_thread_name(trace, 4711, "loader");
    mt_define_code(trace, 5, "train", "train.py", 12);
    mt_define_launch(trace, &(struct mt_launch_shape){1, {4294967295u, 2, 3}, {4, 5, 6}, 49152});
    mt_trace_finish(trace);

    // when read
    struct whole whole = whole_read(path);

    // then they say the same
    const struct mt_definition *api = whole_find(&whole, MT_RECORD_API, 1);
    assert_true(whole_says(&whole, api->name, "cuMemAlloc_v2"));
    assert_int_equal(api->effect, MT_EFFECT_ALLOCATED);
    assert_int_equal(api->memory, MT_MEMORY_DEVICE);
    assert_true(whole_says(&whole, whole_find(&whole, MT_RECORD_KERNEL, 1)->name, "_Z6matmulPf"));
    const struct mt_definition *device = whole_find(&whole, MT_RECORD_DEVICE, 1);
    assert_int_equal(device->total_bytes, UINT64_C(150754820096));
    assert_true(whole_says(&whole, device->name, "H200"));
    assert_int_equal(device->data_bytes, 16);
    assert_memory_equal(device->data, uuid, 16);
    const struct mt_definition *fact = whole_find(&whole, MT_RECORD_FACT, 0);
    assert_true(whole_says(&whole, fact->name, "rank"));
    assert_true(whole_says(&whole, fact->value, "7"));
    assert_true(whole_says(&whole, whole_find(&whole, MT_RECORD_THREAD_NAME, 4711)->name, "loader"));
    const struct mt_definition *code = whole_find(&whole, MT_RECORD_CODE, 1);
    assert_true(whole_says(&whole, code->name, "train"));
    assert_true(whole_says(&whole, code->value, "train.py"));
    assert_int_equal(code->line, 12);
    const struct mt_definition *shape = whole_find(&whole, MT_RECORD_LAUNCH_SHAPE, 1);
    assert_int_equal(shape->kernel, 1);
    assert_int_equal(shape->grid[0], 4294967295u);
    assert_int_equal(shape->block[2], 6);
    assert_int_equal(shape->shared_bytes, 49152);
    whole_free(&whole);
    free(path);
}

static void a_text_of_any_length_is_kept_up_to_its_limit(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    char *text = malloc(100001);
    memset(text, 'x', 100000);
    text[100000] = '\0';
    uint32_t id = mt_define_string(trace, text);
    text[99999] = 'y'; // behind the limit: the same text
    assert_int_equal(mt_define_string(trace, text), id);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_int_equal(whole_find(&whole, MT_RECORD_STRING, id)->data_bytes, 16384);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    free(text);
    free(path);
}

static void many_definitions_fill_many_chunks(void **state) {
    enum { COUNT = 20000 };
    char *path = path_in(state, "trace.bin"), text[32];
    struct mt_trace *trace = trace_make(path);
    for (uint32_t i = 1; i <= COUNT; i++) {
        snprintf(text, sizeof text, "string number %u", i);
        assert_int_equal(mt_define_string(trace, text), i);
    }
    for (uint32_t i = 1; i <= COUNT; i++) {
        snprintf(text, sizeof text, "string number %u", i);
        assert_int_equal(mt_define_string(trace, text), i);
    }
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_int_equal(whole.definition_count, COUNT);
    assert_true(whole_says(&whole, 12345, "string number 12345"));
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_things_have_equal_ids, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(contexts_are_told_apart, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_field_arrives, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_text_of_any_length_is_kept_up_to_its_limit, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(many_definitions_fill_many_chunks, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
