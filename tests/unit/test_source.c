/*
 * --source: figures beside the lines of a file that is as it was, has changed, or is gone.
 */
#include "tests/unit/scripts.h"
#include "viewer/views/views.h"

#include <sys/stat.h>
#include <time.h>
#include <utime.h>

static const char *const program = "import torch\n"
                                   "def make():\n"
                                   "\treturn torch.empty(4096)\n"
                                   "\n"
                                   "first = make()\n"
                                   "second = make()\n"
                                   "del first\n"
                                   "1\n2\n3\n4\n"
                                   "third = torch.empty(1024)\n";

// The trace of that program; `age_s`: how long before the trace the file was written, negative: after it.
static struct script *traced(void **state, const char *path, int age_s) {
    struct script *script = script_begin(state);
    bytes_write(path, program, strlen(program));
    time_t when = time(NULL) - age_s;
    assert_int_equal(utime(path, &(struct utimbuf){when, when}), 0);
    char make[256], lines[4][256];
    static const int numbers[] = {5, 6, 7, 12};
    snprintf(make, sizeof(make), "make %s:3", path);
    for (int i = 0; i < 4; i++) snprintf(lines[i], sizeof(lines[i]), "main %s:%d", path, numbers[i]);
    script_alloc(script, script->malloc_api, 0x1000, 4096, script_stack(script, make, lines[0], NULL));
    script_alloc(script, script->malloc_api, 0x2000, 4096, script_stack(script, make, lines[1], NULL));
    script_free(script, script->free_api, 0x1000, script_stack(script, lines[2], NULL));
    script_alloc(script, script->malloc_api, 0x3000, 1024, script_stack(script, lines[3], NULL));
    return script;
}

static void expect(struct script *script, const char *path, const char *expected) {
    char *text = script_show(script_report(script), mt_view_source);
    assert_memory_equal(text, path, strlen(path));
    assert_string_equal(text + strlen(path), expected);
    free(text);
    script_close(script);
}

static void test_figures_stand_beside_the_lines(void **state) {
    char *path = path_in(state, "p.py");
    expect(traced(state, path, 3600), path,
           ": 9,216 bytes (9.00 KiB) allocated, with what its lines called\n"
           "   allocated       freed   most live  at the peak   line\n"
           "                                                       1  import torch\n"
           "                                                       2  def make():\n"
           "    8.00 KiB           -    8.00 KiB     8.00 KiB      3          return torch.empty(4096)\n"
           "                                                       4\n"
           "    4.00 KiB           -    4.00 KiB     4.00 KiB      5  first = make()\n"
           "    4.00 KiB           -    4.00 KiB     4.00 KiB      6  second = make()\n"
           "           -    4.00 KiB           -            -      7  del first\n"
           "                                                       8  1\n"
           "                                                       9  2\n"
           "                                                      10  3\n"
           "                                                      11  4\n"
           "    1.00 KiB           -    1.00 KiB            -     12  third = torch.empty(1024)\n"
           "\n");
    free(path);
}

static void test_a_file_that_changed_is_said_so(void **state) {
    char *path = path_in(state, "p.py");
    struct script *script = traced(state, path, -3600);
    char *text = script_show(script_report(script), mt_view_source);
    assert_non_null(strstr(text, "\n  The file was changed after the trace began: figures may stand beside other "
                                 "lines.\n"));
    free(text);
    script_close(script);
    free(path);
}

static void test_without_the_file_the_figures_are_left(void **state) {
    char *path = path_in(state, "p.py");
    struct script *script = traced(state, path, 3600);
    assert_int_equal(remove(path), 0);
    expect(script, path,
           ": 9,216 bytes (9.00 KiB) allocated, with what its lines called\n"
           "  The file is not on this machine: its lines are shown without their text.\n"
           "   allocated       freed   most live  at the peak   line\n"
           "    8.00 KiB           -    8.00 KiB     8.00 KiB      3\n"
           "    4.00 KiB           -    4.00 KiB     4.00 KiB      5\n"
           "    4.00 KiB           -    4.00 KiB     4.00 KiB      6\n"
           "           -    4.00 KiB           -            -      7\n"
           "    1.00 KiB           -    1.00 KiB            -     12\n"
           "\n");
    free(path);
}

static void test_a_file_can_be_chosen_by_its_name(void **state) {
    char *path = path_in(state, "p.py");
    struct script *script = traced(state, path, 3600);
    script_options.source = "q.py";
    char *text = script_show(script_report(script), mt_view_source);
    assert_string_equal(text, "q.py: none of its lines is known to have allocated device memory; try --source alone.\n"
                              "\n");
    free(text);
    script_close(script);

    script = traced(state, path, 3600);
    script_options.source = "p.py";
    text = script_show(script_report(script), mt_view_source);
    assert_memory_equal(text, path, strlen(path));
    free(text);
    script_close(script);
    free(path);
}

// A function that calls itself on one line has its memory counted once there.
static void test_recursion_counts_once(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "f r.py:2", "f r.py:2", "f r.py:2", "main r.py:9", NULL);
    script_alloc(script, script->malloc_api, 0x1000, 4096, stack);
    expect(script, "r.py",
           ": 4,096 bytes (4.00 KiB) allocated, with what its lines called\n"
           "  The file is not on this machine: its lines are shown without their text.\n"
           "   allocated       freed   most live  at the peak   line\n"
           "    4.00 KiB           -    4.00 KiB     4.00 KiB      2\n"
           "    4.00 KiB           -    4.00 KiB     4.00 KiB      9\n"
           "\n");
}

static void test_a_copy_of_another_machines_file_is_taken(void **state) {
    char *path = path_in(state, "p.py"), *folder = path_in(state, "copies"), *copy = path_in(state, "copies/p.py");
    struct script *script = traced(state, path, 3600);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(rename(path, copy), 0);
    script_options.source = copy;
    char *text = script_show(script_report(script), mt_view_source);
    assert_memory_equal(text, path, strlen(path));
    assert_non_null(strstr(text, "  4.00 KiB      5  first = make()\n"));
    free(text);
    script_close(script);
    assert_int_equal(remove(copy), 0);
    free(copy);
    free(folder);
    free(path);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_figures_stand_beside_the_lines),
        TEST(test_a_file_that_changed_is_said_so),
        TEST(test_without_the_file_the_figures_are_left),
        TEST(test_a_file_can_be_chosen_by_its_name),
        TEST(test_recursion_counts_once),
        TEST(test_a_copy_of_another_machines_file_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
