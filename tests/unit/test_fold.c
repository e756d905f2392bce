/*
 * Loop folding on strings: each letter is a checkpoint's block, and what comes out is written as "A(BC)x3D".
 */
#include "tests/unit/trace_files.h"
#include "viewer/analysis/fold.h"
#include "viewer/base/memory.h"

static struct mt_place places[128]; // a letter's block is told by its place

struct output {
    char text[512];
    struct mt_folder *next;
    uint64_t used;        // grows by one a block
    uint64_t first, last; // totals of the latest group
};

static void write_fold(struct output *output, const struct mt_fold *fold) {
    size_t at = strlen(output->text);
    if (fold->block) {
        snprintf(output->text + at, sizeof(output->text) - at, "%c", (char)(fold->block->at - places));
        return;
    }
    snprintf(output->text + at, sizeof(output->text) - at, "(");
    for (size_t i = 0; i < fold->child_count; i++) write_fold(output, fold->children[i]);
    at = strlen(output->text);
    snprintf(output->text + at, sizeof(output->text) - at, ")x%llu", (unsigned long long)fold->count);
    output->first = fold->first.used;
    output->last = fold->last.used;
}

static void sink(void *user, struct mt_fold *fold) {
    write_fold(user, fold);
    mt_fold_free(fold);
}

static void pass_on(void *user, struct mt_fold *fold) {
    mt_folder_push(((struct output *)user)->next, fold);
}

static void push(struct output *output, struct mt_folder *folder, char letter) {
    struct mt_line_block *block = mt_allocate(sizeof(*block));
    block->at = &places[(int)letter];
    mt_folder_push(folder, mt_fold_block(block, (struct mt_line_totals){.used = ++output->used}));
}

static struct output folded(const char *letters) {
    struct output output = {0};
    struct mt_folder *folder = mt_folder_new(sink, &output);
    for (const char *at = letters; *at; at++) push(&output, folder, *at);
    mt_folder_finish(folder);
    return output;
}

static struct output folded_twice(const char *letters) {
    struct output output = {0};
    output.next = mt_folder_new(sink, &output);
    struct mt_folder *inner = mt_folder_new(pass_on, &output);
    for (const char *at = letters; *at; at++) push(&output, inner, *at);
    mt_folder_finish(inner);
    mt_folder_finish(output.next);
    return output;
}

static void test_what_does_not_repeat_stays_as_it_is(void **state) {
    (void)state;
    assert_string_equal(folded("").text, "");
    assert_string_equal(folded("A").text, "A");
    assert_string_equal(folded("ABCABD").text, "ABCABD");
}

static void test_repetitions_are_counted(void **state) {
    (void)state;
    assert_string_equal(folded("AAAA").text, "(A)x4");
    assert_string_equal(folded("XABABABY").text, "X(AB)x3Y");
    assert_string_equal(folded("ABCABCABCAB").text, "(ABC)x3AB");
    assert_string_equal(folded("ABCABCABBB").text, "(ABC)x2A(B)x3");
}

static void test_a_repetition_begun_and_broken_off_can_begin_another(void **state) {
    (void)state;
    assert_string_equal(folded("AABAABAABAACAAC").text, "(A)x2B(A)x2B(A)x2B(A)x2C(A)x2C");
    assert_string_equal(folded_twice("AABAABAABAACAAC").text, "((A)x2B)x3((A)x2C)x2");
}

static void test_loops_inside_loops(void **state) {
    (void)state;
    assert_string_equal(folded_twice("FBFBFBOFBFBFBOFBFBFBO").text, "((FB)x3O)x3");
}

static void test_totals_of_the_first_and_the_last_time_are_kept(void **state) {
    (void)state;
    struct output output = folded("XABABABY"); // totals 1 … 8
    assert_int_equal(output.first, 3);
    assert_int_equal(output.last, 7);
}

static void test_long_periods_and_long_traces(void **state) {
    (void)state;
    char letters[3 * MT_FOLD_PERIOD + 1] = "", expected[128] = "(";
    for (int i = 0; i < MT_FOLD_PERIOD; i++) {
        letters[i] = letters[MT_FOLD_PERIOD + i] = letters[2 * MT_FOLD_PERIOD + i] = (char)('0' + i);
        expected[i + 1] = (char)('0' + i);
    }
    strcat(expected, ")x3");
    assert_string_equal(folded(letters).text, expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_does_not_repeat_stays_as_it_is),
        cmocka_unit_test(test_repetitions_are_counted),
        cmocka_unit_test(test_a_repetition_begun_and_broken_off_can_begin_another),
        cmocka_unit_test(test_loops_inside_loops),
        cmocka_unit_test(test_totals_of_the_first_and_the_last_time_are_kept),
        cmocka_unit_test(test_long_periods_and_long_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
