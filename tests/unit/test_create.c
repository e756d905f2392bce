/*
 * Names: who gets which file, what becomes of older ones, and what is refused.
 */
#include "tests/unit/trace_files.h"

#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// A finished trace with one event of so many bytes.
static void write_trace(const char *path, uint64_t bytes) {
    struct mt_trace *trace = trace_make(path);
    mt_write_alloc(mt_lane_acquire(trace, 1), &(struct mt_event){.time_ns = 1}, 1, bytes);
    mt_trace_finish(trace);
}

static uint64_t bytes_of(const char *path) {
    struct whole whole = whole_read(path);
    assert_int_equal(whole.status, MT_OPEN_OK);
    assert_int_equal(whole.event_count, 1);
    uint64_t bytes = whole.events[0].bytes;
    whole_free(&whole);
    return bytes;
}

static void a_finished_trace_becomes_old(void **state) {
    char *path = path_in(state, "trace.bin"), *old = path_in(state, "trace.bin.old");
    write_trace(path, 11);
    write_trace(path, 22);
    assert_int_equal(bytes_of(path), 22);
    assert_int_equal(bytes_of(old), 11);
    write_trace(path, 33);
    assert_int_equal(bytes_of(path), 33);
    assert_int_equal(bytes_of(old), 22);
    free(path);
    free(old);
}

static void a_live_trace_sends_us_to_a_sibling(void **state) {
    char *path = path_in(state, "trace.bin"), name[64];
    struct mt_trace *live = trace_make(path), *sibling = trace_make(path), *third = trace_make(path);
    assert_string_equal(mt_trace_path(live), path);

    snprintf(name, sizeof name, "trace.%d.bin", (int)getpid());
    char *expected = path_in(state, name);
    assert_string_equal(mt_trace_path(sibling), expected);
    free(expected);
    snprintf(name, sizeof name, "trace.%d-1.bin", (int)getpid());
    expected = path_in(state, name);
    assert_string_equal(mt_trace_path(third), expected);
    free(expected);

    mt_write_alloc(mt_lane_acquire(live, 1), &(struct mt_event){.time_ns = 1}, 1, 5);
    mt_trace_finish(live);
    mt_trace_finish(sibling);
    mt_trace_finish(third);
    assert_int_equal(bytes_of(path), 5);
    free(path);
}

static void a_name_without_a_suffix_gets_the_pid_behind(void **state) {
    char *path = path_in(state, "trace"), name[64];
    struct mt_trace *live = trace_make(path), *sibling = trace_make(path);
    snprintf(name, sizeof name, "trace.%d", (int)getpid());
    char *expected = path_in(state, name);
    assert_string_equal(mt_trace_path(sibling), expected);
    mt_trace_finish(live);
    mt_trace_finish(sibling);
    free(expected);
    free(path);
}

static void a_killed_runs_trace_becomes_old(void **state) {
    // given a trace whose writer was killed
    char *path = path_in(state, "trace.bin"), *old = path_in(state, "trace.bin.old");
    pid_t child = fork();
    if (child == 0) {
        struct mt_trace *trace = trace_make(path);
        mt_write_alloc(mt_lane_acquire(trace, 1), &(struct mt_event){.time_ns = 1}, 1, 7);
        raise(SIGKILL);
    }
    assert_int_equal(child_wait(child), -SIGKILL);

    write_trace(path, 8);

    assert_int_equal(bytes_of(path), 8);
    assert_int_equal(bytes_of(old), 7);
    free(path);
    free(old);
}

static void a_file_that_is_no_trace_is_left_alone(void **state) {
    char *path = path_in(state, "train.cu");
    bytes_write(path, "int main() { return 0; }", 24);
    struct mt_trace *trace = NULL;
    assert_int_equal(mt_trace_create(path, &trace), -EEXIST);
    assert_null(trace);
    struct bytes file = bytes_read(path);
    assert_int_equal(file.count, 24);
    assert_memory_equal(file.data, "int main() { return 0; }", 24);
    free(file.data);
    free(path);
}

static void an_empty_file_is_taken(void **state) {
    char *path = path_in(state, "trace.bin");
    bytes_write(path, "", 0);
    write_trace(path, 3);
    assert_int_equal(bytes_of(path), 3);
    free(path);
}

static void an_empty_file_of_another_user_is_not(void **state) {
    if (geteuid() != 0) skip();
    char *path = path_in(state, "trace.bin");
    bytes_write(path, "", 0);
    assert_int_equal(chown(path, 65534, 65534), 0);
    struct mt_trace *trace = trace_make(path);
    assert_string_not_equal(mt_trace_path(trace), path);
    mt_trace_finish(trace);
    struct bytes file = bytes_read(path);
    assert_int_equal(file.count, 0);
    free(file.data);
    free(path);
}

static void impossible_names_are_refused(void **state) {
    char *missing = path_in(state, "none/trace.bin"), *folder = path_in(state, "folder"),
         *fifo = path_in(state, "fifo");
    char *too_long = malloc(8192);
    memset(too_long, 'x', 8191);
    too_long[8191] = '\0';
    struct mt_trace *trace = NULL;
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);

    assert_int_equal(mt_trace_create(missing, &trace), -ENOENT);
    assert_int_equal(mt_trace_create(folder, &trace), -EISDIR);
    assert_int_equal(mt_trace_create(fifo, &trace), -EEXIST);
    assert_int_equal(mt_trace_create("/dev/null", &trace), -EEXIST);
    assert_int_equal(mt_trace_create("", &trace), -ENOENT);
    assert_int_equal(mt_trace_create(too_long, &trace), -ENAMETOOLONG);
    assert_null(trace);
    free(missing);
    free(folder);
    free(fifo);
    free(too_long);
}

static int create_unwritable(const char *folder, const char *path) {
    struct mt_trace *trace;
    if (chmod(folder, 0555) != 0 || setuid(65534) != 0) return 1;
    return mt_trace_create(path, &trace) == -EACCES ? 0 : 2;
}

static void an_unwritable_folder_is_refused(void **state) {
    char *path = path_in(state, "trace.bin");
    if (geteuid() != 0) skip();
    pid_t child = fork();
    if (child == 0) _exit(create_unwritable(*state, path));
    assert_int_equal(child_wait(child), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

enum { PROCESSES = 20 };

static int write_together(const char *path, int start, int done) {
    struct mt_trace *trace;
    char byte;
    if (read(start, &byte, 1) != 0) return 1; // all start when the parent closes its end
    if (mt_trace_create(path, &trace) != 0) return 2;
    mt_write_alloc(mt_lane_acquire(trace, 1), &(struct mt_event){.time_ns = 1}, 1, (uint64_t)getpid());
    const char *name = strrchr(mt_trace_path(trace), '/') + 1;
    char line[64] = {0};
    snprintf(line, sizeof line, "%s", name);
    if (write(done, line, sizeof line) != (ssize_t)sizeof line) return 3;
    read(start, &byte, 1);
    pause(); // alive, so that no other takes its name
    return 0;
}

static void a_trace_in_which_nothing_happened_can_go(void **state) {
    char *path = path_in(state, "trace.bin"), *old = path_in(state, "trace.bin.old");
    struct mt_trace *trace = trace_make(path);
    mt_define_fact(trace, "command", "torchrun");
    assert_false(mt_trace_has_events(trace));
    mt_trace_discard(trace);
    assert_int_equal(access(path, F_OK), -1);

    // given a trace whose name has become another file's meanwhile, then that file stays
    trace = trace_make(path);
    mt_write_alloc(mt_lane_acquire(trace, 1), &(struct mt_event){.time_ns = 1}, 1, 5);
    assert_true(mt_trace_has_events(trace));
    assert_int_equal(rename(path, old), 0);
    write_trace(path, 6);
    mt_trace_discard(trace);
    assert_int_equal(bytes_of(path), 6);
    assert_int_equal(bytes_of(old), 5);
    free(path);
    free(old);
}

static void processes_that_start_at_once_get_a_file_each(void **state) {
    // given processes that create one name at the same moment
    char *path = path_in(state, "trace.bin");
    char lines[PROCESSES][64];
    pid_t children[PROCESSES];
    int start[2], done[2];
    assert_int_equal(pipe(start), 0);
    assert_int_equal(pipe(done), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            close(start[1]);
            _exit(write_together(path, start[0], done[1]));
        }
    }
    close(start[1]);
    for (int i = 0; i < PROCESSES; i++) assert_int_equal(read(done[0], lines[i], sizeof lines[i]), sizeof lines[i]);
    for (int i = 0; i < PROCESSES; i++) {
        kill(children[i], SIGKILL);
        assert_int_equal(child_wait(children[i]), -SIGKILL);
    }

    // then each wrote a trace of its own
    uint64_t sum = 0, expected = 0;
    for (int i = 0; i < PROCESSES; i++) {
        for (int j = 0; j < i; j++) assert_string_not_equal(lines[i], lines[j]);
        char *written = path_in(state, lines[i]);
        sum += bytes_of(written);
        expected += (uint64_t)children[i];
        free(written);
    }
    assert_int_equal(sum, expected);
    close(start[0]);
    close(done[0]);
    close(done[1]);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_finished_trace_becomes_old, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_live_trace_sends_us_to_a_sibling, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_name_without_a_suffix_gets_the_pid_behind, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_killed_runs_trace_becomes_old, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_file_that_is_no_trace_is_left_alone, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(an_empty_file_is_taken, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(an_empty_file_of_another_user_is_not, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(impossible_names_are_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(an_unwritable_folder_is_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_trace_in_which_nothing_happened_can_go, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(processes_that_start_at_once_get_a_file_each, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
