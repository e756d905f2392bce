/*
 * What programs do to a tracer inside them: die in the middle, fork, close every descriptor, change their folder.
 */
#include "tests/unit/trace_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_pair(struct mt_lane *lane, uint64_t number) {
    mt_write_alloc(lane, &(struct mt_event){.time_ns = 2 * number, .api = 1}, 4096 * number, number);
    mt_write_free(lane, &(struct mt_event){.time_ns = 2 * number + 1, .api = 2}, 4096 * number);
}

// How far a child has got, as it says in shared memory.
static _Atomic uint64_t *shared_counter(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    return page;
}

static void write_for_ever(const char *path, _Atomic uint64_t *published) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) _exit(1);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (uint64_t i = 1;; i++) {
        write_pair(lane, i);
        *published = i;
    }
}

static void what_was_published_survives_a_kill(void **state) {
    for (int run = 0; run < 5; run++) {
        // given a child that writes and says how much, when it is killed in the middle
        char *path = path_in(state, "trace.bin");
        _Atomic uint64_t *published = shared_counter();
        pid_t child = fork();
        if (child == 0) write_for_ever(path, published);
        while (*published < 20000 + 777 * (uint64_t)run) {
        }
        kill(child, SIGKILL);
        assert_int_equal(child_wait(child), -SIGKILL);

        // then all of that is read, at most the pair it was writing more, and every event is one it wrote
        struct whole whole = whole_read(path);
        assert_int_equal(whole.status, MT_OPEN_OK);
        assert_int_equal(whole.header.state, MT_STATE_WRITING);
        assert_int_equal(whole.damage.chunks, 0);
        assert_true(whole.event_count >= 2 * *published);
        assert_true(whole.event_count <= 2 * *published + 2);
        for (size_t i = 0; i < whole.event_count; i++) {
            const struct mt_record_event *event = &whole.events[i];
            assert_int_equal(event->time_ns, i + 2);
            assert_int_equal(event->address, 4096 * (i / 2 + 1));
            assert_int_equal(event->effect, i % 2 == 0 ? MT_EFFECT_ALLOCATED : MT_EFFECT_FREED);
        }
        whole_free(&whole);
        munmap((void *)published, 4096);
        unlink(path);
        free(path);
    }
}

static void a_file_that_is_being_written_can_be_read(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    uint32_t name = mt_define_string(trace, "early");
    write_pair(lane, 1);

    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 2);
    assert_true(whole_says(&whole, name, "early"));
    whole_free(&whole);

    write_pair(lane, 2);
    mt_trace_finish(trace);
    whole = whole_read(path);
    assert_int_equal(whole.event_count, 4);
    whole_free(&whole);
    free(path);
}

// Everything a child may call; 0 if it had no effect.
static int use_inherited(struct mt_trace *trace, struct mt_lane *lane) {
    const struct mt_frame frame = {.address = 16};
    write_pair(lane, 1000000);
    for (uint64_t i = 0; i < 20000; i++) write_pair(lane, 1000001 + i);
    if (mt_define_string(trace, "child") != 0 || mt_define_string(trace, "parent") != 0) return 1;
    if (mt_define_stack(trace, &frame, 1) != 0 || mt_find_stack(trace, &frame, 1) != 0) return 2;
    if (mt_lane_acquire(trace, 2) != NULL) return 3;
    if (mt_define_context(trace, 0) != 0) return 4;
    mt_modules_refresh(trace);
    mt_lane_release(lane);
    mt_trace_finish(trace);
    return mt_trace_loss(trace).events == 0 ? 0 : 5;
}

static void a_forked_child_leaves_the_trace_alone(void **state) {
    // given a trace, forked in the middle
    char *path = path_in(state, "trace.bin"), *child_path = path_in(state, "child.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    const struct mt_frame frame = {.address = 16};
    mt_define_string(trace, "parent");
    mt_define_stack(trace, &frame, 1);
    write_pair(lane, 1);
    struct bytes before = bytes_read(path);

    // when the child uses all it inherited, and makes a trace of its own
    pid_t child = fork();
    if (child == 0) {
        struct mt_trace *own;
        int result = use_inherited(trace, lane);
        if (result == 0 && mt_trace_create(child_path, &own) != 0) result = 6;
        if (result == 0) {
            write_pair(mt_lane_acquire(own, 1), 5);
            mt_trace_finish(own);
        }
        _exit(result);
    }
    assert_int_equal(child_wait(child), 0);

    // then the parent's file is as it was, and goes on
    struct bytes after = bytes_read(path);
    assert_int_equal(after.count, before.count);
    assert_memory_equal(after.data, before.data, before.count);
    write_pair(lane, 2);
    mt_trace_finish(trace);
    struct whole whole = whole_read(path), own = whole_read(child_path);
    assert_int_equal(whole.event_count, 4);
    assert_int_equal(own.event_count, 2);
    assert_int_equal(own.events[0].bytes, 5);
    whole_free(&whole);
    whole_free(&own);
    free(before.data);
    free(after.data);
    free(path);
    free(child_path);
}

// Says that it has let go, and ends when nobody can write to `end` any more.
static int outlive(struct mt_trace *trace, const int ready[2], const int end[2]) {
    char byte = 0;
    mt_trace_forked(trace);
    close(end[1]);
    return write(ready[1], &byte, 1) == 1 ? (int)read(end[0], &byte, 1) : 1;
}

static int fork_and_be_killed(const char *path, const int end[2]) {
    struct mt_trace *trace;
    int ready[2];
    char byte;
    if (pipe(ready) != 0 || mt_trace_create(path, &trace) != 0) return 1;
    write_pair(mt_lane_acquire(trace, 1), 1);
    pid_t child = fork();
    if (child == 0) _exit(outlive(trace, ready, end));
    if (read(ready[0], &byte, 1) != 1) return 2;
    raise(SIGKILL);
    return 3;
}

static void a_child_that_outlives_its_parent_holds_no_name(void **state) {
    // given a process that forked and was killed, whose child lives on
    char *path = path_in(state, "trace.bin"), *old = path_in(state, "trace.bin.old");
    int end[2];
    assert_int_equal(pipe(end), 0);
    pid_t parent = fork();
    if (parent == 0) _exit(fork_and_be_killed(path, end));
    assert_int_equal(child_wait(parent), -SIGKILL);

    // when its name is taken, then what it left makes way
    struct mt_trace *next = trace_make(path);
    assert_string_equal(mt_trace_path(next), path);
    mt_trace_finish(next);
    struct whole whole = whole_read(old);
    assert_int_equal(whole.event_count, 2);
    whole_free(&whole);
    close(end[0]);
    close(end[1]);
    free(path);
    free(old);
}

static void close_everything(void) {
    for (int fd = 3; fd < 1024; fd++) close(fd);
}

static int write_with_descriptors_closed(const char *path, const char *victim_path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (uint64_t i = 1; i <= 10000; i++) write_pair(lane, i);
    // The program closes all and opens files of its own until every number the trace could have had is one of them.
    close_everything();
    for (int fd; (fd = open(victim_path, O_RDWR | O_CREAT, 0600)) >= 0 && fd < 1000;) {
    }
    for (uint64_t i = 10001; i <= 40000; i++) write_pair(lane, i);
    struct stat victim;
    if (stat(victim_path, &victim) != 0 || victim.st_size != 0) return 2;
    close_everything();
    mt_trace_finish(trace);
    if (mt_trace_loss(trace).events != 0) return 3;
    // The name is free again, although the descriptor that held the lock was not ours to give back.
    struct mt_trace *next;
    return mt_trace_create(path, &next) == 0 && strcmp(mt_trace_path(next), path) == 0 ? 0 : 4;
}

static void a_program_may_close_every_descriptor(void **state) {
    char *path = path_in(state, "trace.bin"), *old = path_in(state, "trace.bin.old");
    char *victim = path_in(state, "victim");
    pid_t child = fork();
    if (child == 0) _exit(write_with_descriptors_closed(path, victim));
    assert_int_equal(child_wait(child), 0);

    struct whole whole = whole_read(old);
    assert_int_equal(whole.event_count, 80000);
    assert_int_equal(whole.header.state, MT_STATE_FINISHED);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    free(path);
    free(old);
    free(victim);
}

static int write_without_the_file(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    write_pair(lane, 1);
    if (unlink(path) != 0) return 2;
    close_everything();
    for (uint64_t i = 2; i <= 200000; i++) write_pair(lane, i);
    if (mt_trace_loss(trace).events == 0) return 3;
    mt_trace_finish(trace);
    return 0;
}

static void a_file_that_cannot_be_found_again_is_a_loss(void **state) {
    char *path = path_in(state, "trace.bin");
    pid_t child = fork();
    if (child == 0) _exit(write_without_the_file(path));
    assert_int_equal(child_wait(child), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

static int write_from_elsewhere(const char *folder) {
    struct mt_trace *trace;
    if (chdir(folder) != 0 || mt_trace_create("trace.bin", &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    if (chdir("/") != 0) return 2;
    close_everything();
    for (uint64_t i = 1; i <= 20000; i++) write_pair(lane, i);
    mt_trace_finish(trace);
    return 0;
}

static void a_program_may_change_its_folder(void **state) {
    char *path = path_in(state, "trace.bin");
    pid_t child = fork();
    if (child == 0) _exit(write_from_elsewhere(*state));
    assert_int_equal(child_wait(child), 0);

    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 40000);
    assert_int_equal(whole.header.lost_events, 0);
    whole_free(&whole);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_published_survives_a_kill, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_file_that_is_being_written_can_be_read, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_forked_child_leaves_the_trace_alone, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_child_that_outlives_its_parent_holds_no_name, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_program_may_close_every_descriptor, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_found_again_is_a_loss, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_program_may_change_its_folder, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
