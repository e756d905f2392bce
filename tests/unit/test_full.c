/*
 * A full disk: the program never notices, the trace knows what it lost, and goes on when there is room again.
 */
#include "tests/unit/trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 65536, HEADER = 4096 };

static void limit_file_size(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void write_alloc(struct mt_stream *stream, uint64_t number) {
    mt_write_alloc(stream, &(struct mt_event){.time_ns = number, .api = 1}, number, number);
}

// Writes until an event is stored again; how many events that took. An attempt is made every tenth of a second.
static uint64_t write_until_stored(struct mt_trace *trace, struct mt_stream *stream, uint64_t number) {
    for (uint64_t first = number;; number++) {
        uint64_t lost = mt_trace_loss(trace).events;
        write_alloc(stream, number);
        if (mt_trace_loss(trace).events == lost) return number - first + 1;
    }
}

// Fills the file to its limit, lifts the limit, goes on. The child's exit code says which step failed.
static int fill_and_go_on(const char *path, uint64_t *written) {
    struct mt_trace *trace;
    limit_file_size(HEADER + 3 * CHUNK + 1000);
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_stream *stream = mt_stream_acquire(trace, 1);
    for (*written = 0; *written < 60000; (*written)++) write_alloc(stream, *written);
    if (mt_trace_loss(trace).events == 0) return 2;
    limit_file_size(RLIM_INFINITY);
    *written += write_until_stored(trace, stream, *written);
    mt_trace_finish(trace);
    return 0;
}

// The events are numbered from 0; where numbers are missing, a LOST record of just so many stands.
static void check_numbers(const struct whole *whole, uint64_t written) {
    uint64_t next = 0;
    for (size_t i = 0; i < whole->event_count; i++) {
        const struct mt_record_event *event = &whole->events[i];
        if (event->lost > 0) {
            next += event->lost;
            continue;
        }
        assert_int_equal(event->bytes, next);
        next++;
    }
    assert_int_equal(next, written);
}

static void a_file_size_limit_is_a_full_disk(void **state) {
    char *path = path_in(state, "trace.bin");
    int result[2];
    assert_int_equal(pipe(result), 0);
    pid_t child = fork();
    if (child == 0) {
        uint64_t written = 0;
        int step = fill_and_go_on(path, &written);
        if (write(result[1], &written, sizeof written) != (ssize_t)sizeof written) step = 9;
        _exit(step);
    }
    assert_int_equal(child_wait(child), 0); // and not minus SIGXFSZ
    uint64_t written;
    assert_int_equal(read(result[0], &written, sizeof written), sizeof written);

    struct whole whole = whole_read(path);
    assert_int_equal(whole.header.lost_errno, EFBIG);
    assert_true(whole.header.lost_events > 0);
    assert_int_equal(whole.lost, whole.header.lost_events);
    assert_int_equal(whole.damage.chunks, 0);
    check_numbers(&whole, written);
    whole_free(&whole);
    close(result[0]);
    close(result[1]);
    free(path);
}

static int define_without_room(const char *path) {
    struct mt_trace *trace;
    limit_file_size(HEADER);
    if (mt_trace_create(path, &trace) != 0) return 1;
    const struct mt_frame frame = {.address = (uint64_t)(uintptr_t)&define_without_room};
    if (mt_define_string(trace, "text") != 0 || mt_define_stack(trace, &frame, 1) != 0) return 2;
    if (mt_define_api(trace, "name", MT_EFFECT_NONE, MT_MEMORY_NONE) != 0) return 3;
    uint64_t lost = mt_trace_loss(trace).definitions;
    if (lost < 3) return 4;
    limit_file_size(RLIM_INFINITY);
    while (mt_define_string(trace, "text") == 0) {
    }
    while (mt_define_stack(trace, &frame, 1) == 0) {
    }
    mt_trace_finish(trace);
    return 0;
}

static void a_lost_definition_is_counted_and_tried_again(void **state) {
    char *path = path_in(state, "trace.bin");
    pid_t child = fork();
    if (child == 0) _exit(define_without_room(path));
    assert_int_equal(child_wait(child), 0);

    struct whole whole = whole_read(path);
    assert_true(whole.header.lost_definitions >= 3);
    assert_int_equal(whole.header.lost_errno, EFBIG);
    assert_true(whole_says(&whole, 1, "text"));
    // the module stands before the stack that leads there
    assert_int_equal(whole_count(&whole, MT_RECORD_NATIVE_FRAME), 1);
    assert_int_equal(whole.definitions[whole.definition_count - 1].type, MT_RECORD_NATIVE_FRAME);
    assert_true(whole_count(&whole, MT_RECORD_MODULE) > 0);
    whole_free(&whole);
    free(path);
}

static int create_without_room(const char *path) {
    struct mt_trace *trace;
    limit_file_size(100);
    return mt_trace_create(path, &trace) == -EFBIG ? 0 : 1;
}

static void no_room_for_a_header_leaves_nothing_behind(void **state) {
    char *path = path_in(state, "trace.bin");
    pid_t child = fork();
    if (child == 0) _exit(create_without_room(path));
    assert_int_equal(child_wait(child), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

// Fills a small file system with the trace and another file, makes room, goes on.
static int fill_disk(const char *trace_path, const char *other_path, uint64_t *written) {
    struct mt_trace *trace;
    int other = open(other_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (other < 0 || posix_fallocate(other, 0, 8 * CHUNK) != 0) return 1;
    if (mt_trace_create(trace_path, &trace) != 0) return 2;
    struct mt_stream *stream = mt_stream_acquire(trace, 1);
    for (*written = 0; *written < 120000; (*written)++) write_alloc(stream, *written);
    if (mt_trace_loss(trace).events == 0) return 3;
    if (unlink(other_path) != 0 || close(other) != 0) return 4;
    *written += write_until_stored(trace, stream, *written);
    mt_trace_finish(trace);
    return 0;
}

static void a_full_file_system_is_a_counted_loss(void **state) {
    // given a file system of 1 MiB
    char *mounted = path_in(state, "disk"), *path = path_in(state, "disk/trace.bin");
    char *other = path_in(state, "disk/other");
    uint64_t written = 0;
    assert_int_equal(mkdir(mounted, 0700), 0);
    bool can_mount = mount("tmpfs", mounted, "tmpfs", 0, "size=1m") == 0;
    int step = can_mount ? fill_disk(path, other, &written) : 0;
    struct whole whole = {0};
    if (can_mount && step == 0) whole = whole_read(path);
    if (can_mount) assert_int_equal(umount2(mounted, MNT_DETACH), 0); // the trace keeps its header mapped
    free(mounted);
    free(path);
    free(other);
    if (!can_mount) skip();

    assert_int_equal(step, 0);
    assert_int_equal(whole.header.lost_errno, ENOSPC);
    assert_int_equal(whole.lost, whole.header.lost_events);
    check_numbers(&whole, written);
    whole_free(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_size_limit_is_a_full_disk, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_lost_definition_is_counted_and_tried_again, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(no_room_for_a_header_leaves_nothing_behind, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_full_file_system_is_a_counted_loss, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
