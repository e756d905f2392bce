/*
 * A full disk: the program never notices, the trace knows what it lost, and goes on when there is room again.
 */
#include "tests/unit/refuse.h"
#include "tests/unit/trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 65536, HEADER = 4096 };

// How many events or definitions a child has tried to write: in shared memory.
static uint64_t *written;

static void limit_file_size(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void write_alloc(struct mt_lane *lane, uint64_t number) {
    mt_write_alloc(lane, &(struct mt_event){.time_ns = number, .api = 1}, number, number);
}

// Writes until an event is stored again; how many events that took. An attempt is made every tenth of a second.
static uint64_t write_until_stored(struct mt_trace *trace, struct mt_lane *lane, uint64_t number) {
    for (uint64_t first = number;; number++) {
        uint64_t lost = mt_trace_loss(trace).events;
        write_alloc(lane, number);
        if (mt_trace_loss(trace).events == lost) return number - first + 1;
    }
}

// Fills the file to its limit, lifts the limit, goes on. The child's exit code says which step failed.
static int fill_and_go_on(const char *path) {
    struct mt_trace *trace;
    limit_file_size(HEADER + 3 * CHUNK + 1000);
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (*written = 0; *written < 60000; (*written)++) write_alloc(lane, *written);
    if (mt_trace_loss(trace).events == 0) return 2;
    limit_file_size(RLIM_INFINITY);
    *written += write_until_stored(trace, lane, *written);
    mt_trace_finish(trace);
    return 0;
}

// The events are numbered from 0; where numbers are missing, a LOST record of just so many stands.
static void check_numbers(const struct whole *whole, uint64_t count) {
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
    assert_int_equal(next, count);
}

static void check_full(const char *path, enum mt_storage storage, int error) {
    struct whole whole = whole_read(path);
    assert_int_equal(whole.header.storage, storage);
    assert_int_equal(whole.header.lost_errno, error);
    assert_true(whole.header.lost_events > 0);
    assert_int_equal(whole.lost, whole.header.lost_events);
    assert_int_equal(whole.damage.chunks, 0);
    check_numbers(&whole, *written);
    whole_free(&whole);
}

static void a_file_size_limit_is_a_full_disk(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(NULL, fill_and_go_on, path, 0); // and not minus SIGXFSZ
    check_full(path, MT_STORAGE_MAPPED, EFBIG);
    free(path);
}

static void a_buffered_file_has_its_limit_too(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_fallocate, fill_and_go_on, path, 0);
    check_full(path, MT_STORAGE_BUFFERED, EFBIG);
    free(path);
}

// The end comes while the file is full.
static int fill_and_finish(const char *path) {
    struct mt_trace *trace;
    limit_file_size(HEADER + 3 * CHUNK + 1000);
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (*written = 0; *written < 60000; (*written)++) write_alloc(lane, *written);
    mt_trace_finish(trace);
    return 0;
}

static void check_filled(const char *path) {
    struct whole whole = whole_read(path);
    assert_int_equal(whole.header.state, MT_STATE_FINISHED);
    assert_int_equal(whole.header.lost_errno, EFBIG);
    assert_true(whole.event_count > 0);
    assert_int_equal(whole.event_count + whole.header.lost_events, *written);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
}

static void an_end_at_the_limit_is_an_end(void **state) {
    char *path = path_in(state, "trace.bin"), *buffered = path_in(state, "buffered.bin");
    child_behind(NULL, fill_and_finish, path, 0);
    check_filled(path);
    child_behind(refuse_fallocate, fill_and_finish, buffered, 0);
    check_filled(buffered);
    free(path);
    free(buffered);
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

static void check_definitions(const char *path) {
    struct whole whole = whole_read(path);
    assert_true(whole.header.lost_definitions >= 3);
    assert_int_equal(whole.header.lost_errno, EFBIG);
    assert_true(whole_says(&whole, 1, "text"));
    // the module stands before the stack that leads there
    assert_int_equal(whole_count(&whole, MT_RECORD_NATIVE_FRAME), 1);
    assert_int_equal(whole.definitions[whole.definition_count - 1].type, MT_RECORD_NATIVE_FRAME);
    assert_true(whole_count(&whole, MT_RECORD_MODULE) > 0);
    whole_free(&whole);
}

static void a_lost_definition_is_counted_and_tried_again(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(NULL, define_without_room, path, 0);
    check_definitions(path);
    free(path);
}

// Fills the file with texts until one gets no number, and makes room again.
static int define_until_full(const char *path) {
    struct mt_trace *trace;
    char text[800];
    limit_file_size(HEADER + 2 * CHUNK + 1000);
    if (mt_trace_create(path, &trace) != 0) return 1;
    for (*written = 0;; (*written)++) {
        snprintf(text, sizeof text, "%0700d", (int)*written);
        if (mt_define_string(trace, text) == 0) break;
    }
    limit_file_size(RLIM_INFINITY);
    mt_trace_finish(trace);
    return mt_trace_loss(trace).definitions == 1 ? 0 : 2;
}

static void what_got_a_number_is_in_the_file(void **state) {
    bool (*const filters[])(void) = {NULL, refuse_fallocate};
    for (size_t i = 0; i < 2; i++) {
        char *path = path_in(state, i == 0 ? "trace.bin" : "buffered.bin");
        child_behind(filters[i], define_until_full, path, 0);
        struct whole whole = whole_read(path);
        assert_true(*written > CHUNK / 800);
        assert_int_equal(whole_count(&whole, MT_RECORD_STRING), *written);
        assert_int_equal(whole.header.lost_definitions, 1);
        assert_int_equal(whole.damage.chunks, 0);
        whole_free(&whole);
        free(path);
    }
}

static int create_without_room(const char *path) {
    struct mt_trace *trace;
    limit_file_size(100);
    return mt_trace_create(path, &trace) == -EFBIG ? 0 : 1;
}

static void no_room_for_a_header_leaves_nothing_behind(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(NULL, create_without_room, path, 0);
    child_behind(refuse_fallocate, create_without_room, path, 0);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

// Fills a small file system with the trace and another file, makes room, goes on.
static int fill_disk(const char *path) {
    struct mt_trace *trace;
    char other_path[PATH_MAX];
    snprintf(other_path, sizeof other_path, "%s.other", path);
    int other = open(other_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    static const char block[8 * CHUNK];
    if (other < 0 || write(other, block, sizeof block) != (ssize_t)sizeof block) return 1;
    if (mt_trace_create(path, &trace) != 0) return 2;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (*written = 0; *written < 120000; (*written)++) write_alloc(lane, *written);
    if (mt_trace_loss(trace).events == 0) return 3;
    if (unlink(other_path) != 0 || close(other) != 0) return 4;
    *written += write_until_stored(trace, lane, *written);
    mt_trace_finish(trace);
    return 0;
}

// On a file system of 1 MiB.
static void check_full_disk(void **state, bool (*filter)(void), enum mt_storage storage) {
    char *mounted = path_in(state, "disk"), *path = path_in(state, "disk/trace.bin");
    assert_int_equal(mkdir(mounted, 0700), 0);
    bool can_mount = mount("tmpfs", mounted, "tmpfs", 0, "size=1m") == 0;
    if (can_mount) child_behind(filter, fill_disk, path, 0);
    if (can_mount) check_full(path, storage, ENOSPC);
    free(mounted);
    free(path);
    if (!can_mount) skip();
}

static int disk_remove(void **state) {
    char *mounted = path_in(state, "disk");
    umount2(mounted, MNT_DETACH);
    free(mounted);
    return folder_remove(state);
}

static void a_full_file_system_is_a_counted_loss(void **state) {
    check_full_disk(state, NULL, MT_STORAGE_MAPPED);
}

static void so_it_is_for_a_buffered_file(void **state) {
    check_full_disk(state, refuse_fallocate, MT_STORAGE_BUFFERED);
}

// One mapping fails, for want of address space; the next would not.
static int fail_one_mapping(const char *path) {
    struct mt_trace *trace;
    struct rlimit limit;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    if (getrlimit(RLIMIT_AS, &limit) != 0) return 2;
    const struct rlimit none = {0, limit.rlim_max};
    if (setrlimit(RLIMIT_AS, &none) != 0) return 3;
    write_alloc(lane, 0);
    if (mt_trace_loss(trace).events != 1 || mt_trace_loss(trace).error != ENOMEM) return 4;
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 5;
    for (*written = 1; *written < 6000; (*written)++) write_alloc(lane, *written);
    mt_trace_finish(trace);
    return mt_trace_loss(trace).events < 3000 ? 0 : 6;
}

static void a_failed_mapping_costs_few_events(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(NULL, fail_one_mapping, path, 0);
    struct whole whole = whole_read(path);
    check_numbers(&whole, *written);
    whole_free(&whole);
    free(path);
}

// For the children to say how much they have written.
static int share_counter(void **state) {
    (void)state;
    written = mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return written == MAP_FAILED ? -1 : 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(a_file_size_limit_is_a_full_disk),
        TEST(a_buffered_file_has_its_limit_too),
        TEST(an_end_at_the_limit_is_an_end),
        TEST(a_lost_definition_is_counted_and_tried_again),
        TEST(what_got_a_number_is_in_the_file),
        TEST(no_room_for_a_header_leaves_nothing_behind),
        TEST(a_failed_mapping_costs_few_events),
        cmocka_unit_test_setup_teardown(a_full_file_system_is_a_counted_loss, folder_make, disk_remove),
        cmocka_unit_test_setup_teardown(so_it_is_for_a_buffered_file, folder_make, disk_remove),
    };
    return cmocka_run_group_tests(tests, share_counter, NULL);
}
