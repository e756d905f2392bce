/*
 * A trace that somebody cuts or overwrites while it is written: every event of it is counted as lost, and what has
 * become another's file is left alone.
 */
#include "tests/unit/refuse.h"
#include "tests/unit/trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK = 65536, HEADER = 4096, EVENTS = 20000 };

static void on_bus_error(int number, siginfo_t *info, void *unused) {
    (void)number, (void)unused;
    if (!mt_view_rescue(info->si_addr)) _exit(99);
}

static void rescue(void) {
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

static void write_allocs(struct mt_lane *lane, uint64_t count) {
    static uint64_t number;
    for (uint64_t i = 0; i < count; i++, number++)
        mt_write_alloc(lane, &(struct mt_event){.time_ns = number, .api = 1}, number * 4096, 1);
}

// Writes before and after `change`, with a second stream that meets it at once.
static int write_around(const char *path, void (*change)(const char *path)) {
    struct mt_trace *trace;
    rescue();
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1), *other = mt_lane_acquire(trace, 2);
    write_allocs(lane, EVENTS);
    write_allocs(other, 1);
    change(path);
    write_allocs(lane, EVENTS);
    write_allocs(other, 1);
    mt_define_string(trace, "text");
    mt_trace_finish(trace);
    return mt_trace_loss(trace).stopped == MT_STOPPED_CUT && mt_trace_loss(trace).error == ESTALE ? 0 : 2;
}

static void cut_to(const char *path, off_t bytes) {
    if (truncate(path, bytes) != 0) _exit(98);
}

static void empty(const char *path) {
    cut_to(path, 0);
}

static void empty_and_grow(const char *path) {
    cut_to(path, 0);
    cut_to(path, 100 * CHUNK);
}

static void shorten(const char *path) {
    cut_to(path, HEADER + CHUNK);
}

static void overwrite(const char *path) {
    static const char other[10 * CHUNK] = "another file";
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || write(fd, other, sizeof other) != (ssize_t)sizeof other || close(fd) != 0) _exit(97);
}

static int around_empty(const char *path) {
    return write_around(path, empty);
}
static int around_growing(const char *path) {
    return write_around(path, empty_and_grow);
}
static int around_shortening(const char *path) {
    return write_around(path, shorten);
}
static int around_overwriting(const char *path) {
    return write_around(path, overwrite);
}

// Whichever way the file is written.
static void check(void **state, int (*work)(const char *), void (*judge)(const char *path)) {
    bool (*const filters[])(void) = {NULL, refuse_fallocate};
    const char *const names[] = {"mapped.bin", "buffered.bin"};
    for (size_t i = 0; i < 2; i++) {
        char *path = path_in(state, names[i]);
        child_behind(filters[i], work, path, 0);
        judge(path);
        free(path);
    }
}

static struct whole read_end(const char *path) {
    struct whole whole = whole_read(path);
    assert_int_equal(whole.status, MT_OPEN_OK);
    assert_int_equal(whole.header.state, MT_STATE_FINISHED);
    assert_int_equal(whole.header.stopped, MT_STOPPED_CUT);
    assert_int_equal(whole.header.lost_errno, ESTALE);
    return whole;
}

static void all_is_lost(const char *path) {
    struct whole whole = read_end(path);
    assert_int_equal(whole.event_count, 0);
    assert_int_equal(whole.header.lost_events, 2 * (EVENTS + 1));
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
}

static void the_rest_is_lost(const char *path) {
    struct whole whole = read_end(path);
    assert_true(whole.event_count > 0);
    assert_int_equal(whole.header.lost_events, 2 * (EVENTS + 1) - whole.event_count);
    whole_free(&whole);
}

static void it_is_the_other_file(const char *path) {
    struct bytes file = bytes_read(path);
    assert_int_equal(file.count, 10 * CHUNK);
    assert_string_equal((const char *)file.data, "another file");
    for (size_t i = 12; i < file.count; i++) assert_int_equal(file.data[i], 0);
    free(file.data);
}

static void an_emptied_trace_counts_all_events(void **state) {
    check(state, around_empty, all_is_lost);
    check(state, around_growing, all_is_lost);
}

static void a_shortened_trace_counts_those_behind_the_cut(void **state) {
    check(state, around_shortening, the_rest_is_lost);
}

static void another_file_in_its_place_stays_as_it_is(void **state) {
    check(state, around_overwriting, it_is_the_other_file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_emptied_trace_counts_all_events, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_shortened_trace_counts_those_behind_the_cut, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(another_file_in_its_place_stays_as_it_is, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
