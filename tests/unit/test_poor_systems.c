/*
 * Kernels and file systems without locks, and without wiping on fork.
 */
#include "tests/unit/refuse.h"
#include "tests/unit/trace_files.h"

#include <sys/wait.h>
#include <unistd.h>

static int meet_older_traces(const char *path) {
    struct mt_trace *first, *second, *third;
    if (mt_trace_create(path, &first) != 0 || strcmp(mt_trace_path(first), path) != 0) return 1;
    // Nobody can tell whether the first is live: it is believed.
    if (mt_trace_create(path, &second) != 0 || strcmp(mt_trace_path(second), path) == 0) return 2;
    mt_trace_finish(first);
    if (mt_trace_create(path, &third) != 0 || strcmp(mt_trace_path(third), path) != 0) return 3;
    return 0;
}

static void without_locks_an_unfinished_trace_is_left_alone(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_locks, meet_older_traces, path, 0);
    free(path);
}

static void write_at(struct mt_lane *lane, uint64_t second, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        mt_write_alloc(lane, &(struct mt_event){.time_ns = second * 1000000000 + i, .api = 1}, i, second);
}

static int fork_and_write(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    write_at(lane, 1, 1);
    pid_t child = fork();
    if (child == 0) {
        write_at(lane, 2, 20000);
        mt_trace_finish(trace);
        _exit(mt_define_string(trace, "child") == 0 ? 0 : 1);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) return 2;
    write_at(lane, 3, 1);
    mt_trace_finish(trace);
    return 0;
}

static void without_wiping_the_pid_tells_a_child(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_wiping, fork_and_write, path, 0);
    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 2);
    whole_free(&whole);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_locks_an_unfinished_trace_is_left_alone, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(without_wiping_the_pid_tells_a_child, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
