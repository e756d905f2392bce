/*
 * Call stacks: equal ones have equal ids, shared parts are written once, and what was written leads back to the frames.
 */
#include "tests/unit/trace_files.h"

#include <pthread.h>

static struct mt_frame native(uint64_t address) {
    return (struct mt_frame){.address = address};
}

static struct mt_frame python(uint32_t code, uint32_t offset, uint32_t line) {
    return (struct mt_frame){.address = (uint64_t)code << 32 | offset, .line = line, .python = true};
}

static const struct mt_definition *node(const struct whole *whole, uint32_t id) {
    for (size_t i = 0; i < whole->definition_count; i++) {
        const struct mt_definition *found = &whole->definitions[i];
        if ((found->type == MT_RECORD_NATIVE_FRAME || found->type == MT_RECORD_PYTHON_FRAME) && found->id == id)
            return found;
    }
    fail_msg("no node %u", id);
    return NULL;
}

static void a_stack_leads_back_to_its_frames(void **state) {
    // given two stacks that share their outer frames
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    const struct mt_frame first[] = {native(0x30), native(0x20), python(4, 8, 44), native(0x10)};
    const struct mt_frame second[] = {native(0x31), native(0x20), python(4, 8, 44), native(0x10)};
    uint32_t first_id = mt_define_stack(trace, first, 4), second_id = mt_define_stack(trace, second, 4);
    mt_trace_finish(trace);

    // when read
    struct whole whole = whole_read(path);

    // then each is a chain of nodes from the innermost frame out, and the shared ones stand there once
    const struct mt_definition *leaf = node(&whole, first_id), *other = node(&whole, second_id);
    assert_int_equal(leaf->address, 0x30);
    assert_int_equal(other->address, 0x31);
    assert_int_equal(leaf->parent, other->parent);
    const struct mt_definition *caller = node(&whole, leaf->parent);
    assert_int_equal(caller->address, 0x20);
    const struct mt_definition *code = node(&whole, caller->parent);
    assert_int_equal(code->type, MT_RECORD_PYTHON_FRAME);
    assert_int_equal(code->code, 4);
    assert_int_equal(code->line, 44);
    const struct mt_definition *outermost = node(&whole, code->parent);
    assert_int_equal(outermost->address, 0x10);
    assert_int_equal(outermost->parent, 0);
    assert_int_equal(whole_count(&whole, MT_RECORD_NATIVE_FRAME), 4);
    assert_int_equal(whole_count(&whole, MT_RECORD_PYTHON_FRAME), 1);
    whole_free(&whole);
    free(path);
}

static void equal_stacks_have_equal_ids(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    const struct mt_frame stack[] = {native(3), native(2), native(1)};
    const struct mt_frame reversed[] = {native(1), native(2), native(3)};
    const struct mt_frame as_python[] = {python(0, 3, 0), native(2), native(1)};

    assert_int_equal(mt_find_stack(trace, stack, 3), 0);
    uint32_t id = mt_define_stack(trace, stack, 3);
    assert_int_not_equal(id, 0);
    assert_int_equal(mt_define_stack(trace, stack, 3), id);
    assert_int_equal(mt_find_stack(trace, stack, 3), id);
    assert_int_not_equal(mt_define_stack(trace, reversed, 3), id);
    assert_int_not_equal(mt_define_stack(trace, as_python, 3), id);
    assert_int_not_equal(mt_define_stack(trace, stack, 2), id);
    assert_int_not_equal(mt_define_stack(trace, stack + 1, 2), id);
    assert_int_equal(mt_define_stack(trace, stack, 0), 0);
    mt_trace_finish(trace);
    free(path);
}

static void a_python_line_is_no_part_of_the_identity(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    const struct mt_frame stack = python(1, 10, 5), same = python(1, 10, 6), other = python(1, 12, 5);
    uint32_t id = mt_define_stack(trace, &stack, 1);
    assert_int_equal(mt_define_stack(trace, &same, 1), id);
    assert_int_not_equal(mt_define_stack(trace, &other, 1), id);
    mt_trace_finish(trace);
    free(path);
}

enum { THREADS = 8, STACKS = 5000, DEPTH = 12 };

struct share {
    struct mt_trace *trace;
    uint32_t ids[STACKS];
};

static void make_stack(struct mt_frame stack[DEPTH], uint32_t number) {
    for (uint32_t i = 0; i < DEPTH; i++) stack[i] = native(0x1000 + i * 0x100 + number / (i * i + 1));
}

static void *define_all(void *argument) {
    struct share *share = argument;
    for (uint32_t i = 0; i < STACKS; i++) {
        struct mt_frame stack[DEPTH];
        make_stack(stack, i);
        share->ids[i] = mt_define_stack(share->trace, stack, DEPTH);
    }
    return NULL;
}

static void threads_agree_on_every_id(void **state) {
    // given threads that all define the same stacks at once
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct share *shares = calloc(THREADS, sizeof *shares);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        shares[i].trace = trace;
        assert_int_equal(pthread_create(&threads[i], NULL, define_all, &shares[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    mt_trace_finish(trace);

    // then they got the same ids, and no stack got two
    struct whole whole = whole_read(path);
    for (int i = 1; i < THREADS; i++) assert_memory_equal(shares[0].ids, shares[i].ids, sizeof shares[0].ids);
    for (uint32_t i = 0; i < STACKS; i++) assert_int_equal(node(&whole, shares[0].ids[i])->address, 0x1000 + i);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    free(shares);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stack_leads_back_to_its_frames, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(equal_stacks_have_equal_ids, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_python_line_is_no_part_of_the_identity, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(threads_agree_on_every_id, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
