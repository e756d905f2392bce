/*
 * The fuzzer's harness over a fixed trace and fixed damage: all views of what is left of it come to an end.
 */
#include "tests/fuzz/damage.h"
#include "tests/unit/scripts.h"

// Something of all that the views tell of.
static void record(struct script *script) {
    uint32_t stack = script_stack(script, "create t.py:88", "step t.py:20", "main t.py:9", NULL);
    uint64_t label = mt_define_string(script->trace, "step (4, 8)");
    for (uint64_t i = 0; i < 40; i++) {
        script->thread = i % 3;
        script_event(script, MT_EFFECT_RANGE_PUSHED, 0, stack, MT_TAG_TEXT, label, 0);
        script_alloc(script, script->malloc_api, 0x1000 + i * MIB, MIB, stack);
        script_alloc(script, script->async_api, 0x9000000 + i * MIB, 4096, stack);
        script_alloc(script, script->tensor_api, 0x90000000 + i * MIB, 512 * i, stack);
        script_event(script, MT_EFFECT_BACKWARD, 0, stack, 0);
        script_event(script, MT_EFFECT_SAMPLED, 0, stack, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, i * MIB, 0);
        if (i % 2) script_free(script, script->free_api, 0x1000 + i * MIB, stack);
        script_event(script, MT_EFFECT_FAILED, script->malloc_api, stack, MT_TAG_RESULT, (uint64_t)2, MT_TAG_BYTES,
                     (uint64_t)1 << 40, 0);
        script_event(script, MT_EFFECT_BACKWARD_ENDED, 0, stack, 0);
        script_event(script, MT_EFFECT_RANGE_POPPED, 0, 0, 0);
    }
}

static void test_all_views_of_damaged_traces_end(void **state) {
    struct script *script = script_begin(state);
    record(script);
    script_report(script);
    struct bytes whole = bytes_read(script->path);
    script_close(script);
    char *path = path_in(state, "damaged.bin");
    uint8_t *data = test_malloc(whole.count);
    for (uint32_t seed = 1; seed <= 200; seed++) {
        memcpy(data, whole.data, whole.count);
        damage_seals(data, whole.count);
        size_t left = damage_trace(data, whole.count, seed);
        bytes_write(path, data, damage_trace(data, left, seed + 1000));
        show_everything(path);
    }
    test_free(data);
    free(whole.data);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_views_of_damaged_traces_end, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
