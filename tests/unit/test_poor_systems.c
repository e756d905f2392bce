/*
 * File systems and kernels that can do less: no shared mappings, no fallocate, no locks, no wiping on fork. A seccomp
 * filter in a child plays them.
 */
#include "tests/unit/trace_files.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))

// The call fails with `error` when the low half of its argument has exactly the bits `value` under `mask`.
static bool refuse(int call, int argument, uint32_t mask, uint32_t value, int error) {
    struct sock_filter code[] = {
        FIELD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)argument)),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool refuse_shared_mappings(void) {
    return refuse(SYS_mmap, 3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED, ENODEV);
}

static bool refuse_fallocate(void) {
    return refuse(SYS_fallocate, 1, 0, 0, EOPNOTSUPP);
}

static bool refuse_locks(void) {
    return refuse(SYS_flock, 0, 0, 0, ENOLCK);
}

static bool refuse_wiping(void) {
    return refuse(SYS_madvise, 2, 0xffffffff, MADV_WIPEONFORK, EINVAL);
}

enum { NO_FILTER = 77 };

// Runs in a child behind the filter; true when it did what it should.
static void run_behind(bool (*filter)(void), int (*child_main)(const char *path), const char *path, int expected) {
    pid_t child = fork();
    if (child == 0) _exit(filter() ? child_main(path) : NO_FILTER);
    int code = child_wait(child);
    if (code == NO_FILTER) skip();
    assert_int_equal(code, expected);
}

static void write_second(struct mt_stream *stream, uint64_t second, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        mt_write_alloc(stream, &(struct mt_event){.time_ns = second * 1000000000 + i, .api = 1}, i, second);
}

static int write_and_finish(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_stream *stream = mt_stream_acquire(trace, 1), *other = mt_stream_acquire(trace, 2);
    if (mt_define_string(trace, "text") != 1) return 2;
    for (uint64_t second = 0; second < 4; second++) write_second(stream, second, 10000);
    write_second(other, 5, 1);
    mt_stream_release(stream);
    mt_trace_finish(trace);
    return mt_trace_loss(trace).events == 0 ? 0 : 3;
}

static void check_finished(const char *path, enum mt_storage storage) {
    struct whole whole = whole_read(path);
    assert_int_equal(whole.status, MT_OPEN_OK);
    assert_int_equal(whole.header.storage, storage);
    assert_int_equal(whole.header.state, MT_STATE_FINISHED);
    assert_int_equal(whole.event_count, 40001);
    assert_int_equal(whole.damage.chunks, 0);
    assert_true(whole_says(&whole, 1, "text"));
    whole_free(&whole);
}

static void without_shared_mappings_writes_are_buffered(void **state) {
    char *path = path_in(state, "trace.bin");
    run_behind(refuse_shared_mappings, write_and_finish, path, 0);
    check_finished(path, MT_STORAGE_BUFFERED);
    free(path);
}

static int write_and_die(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_stream *stream = mt_stream_acquire(trace, 1), *released = mt_stream_acquire(trace, 2);
    if (mt_define_string(trace, "text") != 1) return 2;
    write_second(released, 1, 10);
    mt_stream_release(released);
    write_second(stream, 1, 100);
    write_second(stream, 3, 1); // more than a second later: the 100 go out
    raise(SIGKILL);
    return 3;
}

static void buffered_writes_lose_at_most_a_second(void **state) {
    char *path = path_in(state, "trace.bin");
    run_behind(refuse_shared_mappings, write_and_die, path, -SIGKILL);

    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 110);
    assert_true(whole_says(&whole, 1, "text"));
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    free(path);
}

static void without_fallocate_zeros_are_written(void **state) {
    char *path = path_in(state, "trace.bin");
    run_behind(refuse_fallocate, write_and_finish, path, 0);
    check_finished(path, MT_STORAGE_MAPPED);
    free(path);
}

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
    run_behind(refuse_locks, meet_older_traces, path, 0);
    free(path);
}

static int fork_and_write(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_stream *stream = mt_stream_acquire(trace, 1);
    write_second(stream, 1, 1);
    pid_t child = fork();
    if (child == 0) {
        write_second(stream, 2, 20000);
        mt_trace_finish(trace);
        _exit(mt_define_string(trace, "child") == 0 ? 0 : 1);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) return 2;
    write_second(stream, 3, 1);
    mt_trace_finish(trace);
    return 0;
}

static void without_wiping_the_pid_tells_a_child(void **state) {
    char *path = path_in(state, "trace.bin");
    run_behind(refuse_wiping, fork_and_write, path, 0);
    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 2);
    whole_free(&whole);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_shared_mappings_writes_are_buffered, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(buffered_writes_lose_at_most_a_second, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(without_fallocate_zeros_are_written, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(without_locks_an_unfinished_trace_is_left_alone, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(without_wiping_the_pid_tells_a_child, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
