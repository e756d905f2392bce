/*
 * Memory that crosses processes: imported is not owned, exported may be kept elsewhere.
 */
#include "tests/unit/scripts.h"
#include "viewer/views/views.h"

static uint32_t open_api(struct script *script) {
    return mt_define_api(script->trace, "cuIpcOpenMemHandle_v2", MT_EFFECT_IMPORTED, MT_MEMORY_IMPORTED);
}

static void test_imported_memory_is_shown_and_in_no_total(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "attach t.py:3", NULL);
    script_alloc(script, script->malloc_api, 0x4000000, 100, stack);
    script_event(script, MT_EFFECT_IMPORTED, open_api(script), stack, MT_TAG_ADDRESS, (uint64_t)0x8000000, MT_TAG_BYTES,
                 4 * MIB, 0);
    char *text = script_show(script_report(script), mt_view_live);
    assert_non_null(strstr(text, "Device 0 (Test GPU): 100 bytes in 1 allocation live at exit\n"));
    assert_non_null(strstr(text,
                           "  Imported from other processes, not owned, in no total here: 4,194,304 bytes (4.00 MiB)\n"
                           "          4,194,304    4.00 MiB                 1  t.py:3 attach\n"));
    free(text);
    script_close(script);
}

static void test_exported_memory_counts_once_and_is_told(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "create t.py:3", NULL);
    uint32_t get = mt_define_api(script->trace, "cuIpcGetMemHandle", MT_EFFECT_EXPORTED, MT_MEMORY_DEVICE);
    script_alloc(script, script->malloc_api, 0x4000000, 4 * MIB, stack);
    for (int i = 0; i < 2; i++) // two handles for the same
        script_event(script, MT_EFFECT_EXPORTED, get, 0, MT_TAG_ADDRESS, (uint64_t)0x4000000, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(mt_ledgers_device(mt_model_ledgers(report->end), 0)->used.bytes, 4 * MIB);
    assert_int_equal(mt_ledgers_device(mt_model_ledgers(report->end), 0)->exported.bytes, 4 * MIB);
    char *text = script_show(report, mt_view_live);
    assert_non_null(strstr(
        text, "  Of these exported, so that handles may keep them in other processes: 4,194,304 bytes (4.00 MiB)\n"
              "          4,194,304    4.00 MiB                 1  t.py:3 create\n"));
    free(text);
    script_close(script);
}

static void test_a_summary_tells_of_both_after_they_are_gone(void **state) {
    struct script *script = script_begin(state);
    uint32_t get = mt_define_api(script->trace, "cuMemExportToShareableHandle", MT_EFFECT_EXPORTED, MT_MEMORY_PHYSICAL);
    uint32_t close = mt_define_api(script->trace, "cuIpcCloseMemHandle", MT_EFFECT_CLOSED, MT_MEMORY_IMPORTED);
    script_event(script, MT_EFFECT_ALLOCATED, script->create_api, 0, MT_TAG_OBJECT, (uint64_t)9, MT_TAG_BYTES, 8 * MIB,
                 0);
    script_event(script, MT_EFFECT_EXPORTED, get, 0, MT_TAG_OBJECT, (uint64_t)9, 0);
    script_event(script, MT_EFFECT_RELEASED, script->release_api, 0, MT_TAG_OBJECT, (uint64_t)9, 0);
    script_event(script, MT_EFFECT_IMPORTED, open_api(script), 0, MT_TAG_ADDRESS, (uint64_t)0x8000000, MT_TAG_BYTES,
                 4 * MIB, 0);
    script_event(script, MT_EFFECT_CLOSED, close, 0, MT_TAG_ADDRESS, (uint64_t)0x8000000, 0);
    char *text = script_show(script_report(script), mt_view_summary);
    assert_non_null(strstr(
        text,
        "\n  imported           4,194,304 bytes at its peak, 0 at the end: another process's, not counted here\n"
        "  exported           8,388,608 bytes at its peak, 0 at the end: handles may keep it in other processes\n"));
    free(text);
    script_close(script);
}

static void test_hidden_says_that_imports_are_not_in_its_sum(void **state) {
    struct script *script = script_begin(state);
    script_event(script, MT_EFFECT_IMPORTED, open_api(script), 0, MT_TAG_ADDRESS, (uint64_t)0x8000000, MT_TAG_BYTES,
                 4 * MIB, 0);
    script_alloc(script, script->malloc_api, 0x4000000, 2 * MIB, 0);
    char *text = script_show(script_report(script), mt_view_hidden);
    assert_non_null(strstr(text, "Device 0 (Test GPU): 2,097,152 bytes (2.00 MiB) in use at exit"));
    assert_non_null(
        strstr(text, "\n  Memory of other processes, imported here, is not in it: 4,194,304 bytes (4.00 MiB).\n"));
    free(text);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_imported_memory_is_shown_and_in_no_total),
        TEST(test_exported_memory_counts_once_and_is_told),
        TEST(test_a_summary_tells_of_both_after_they_are_gone),
        TEST(test_hidden_says_that_imports_are_not_in_its_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
