/*
 * Where the file can't be reserved and mapped, it is written from memory: the same events for a program that ends, few
 * less for one that is killed, and a full disk stays a counted loss.
 */
#include "tests/unit/refuse.h"
#include "tests/unit/trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_at(struct mt_lane *lane, uint64_t second, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        mt_write_alloc(lane, &(struct mt_event){.time_ns = second * 1000000000 + i, .api = 1}, i, second);
}

static int write_and_finish(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1), *other = mt_lane_acquire(trace, 2);
    if (mt_define_string(trace, "text") != 1) return 2;
    for (uint64_t second = 0; second < 4; second++) write_at(lane, second, 10000);
    write_at(other, 5, 1);
    mt_lane_release(lane);
    mt_trace_finish(trace);
    return mt_trace_loss(trace).events == 0 ? 0 : 3;
}

static void check_finished(const char *path, size_t events) {
    struct whole whole = whole_read(path);
    assert_int_equal(whole.status, MT_OPEN_OK);
    assert_int_equal(whole.header.storage, MT_STORAGE_BUFFERED);
    assert_int_equal(whole.header.state, MT_STATE_FINISHED);
    assert_int_equal(whole.header.file_bytes, mt_reader_file_bytes(whole.reader));
    assert_int_equal(whole.header.lost_errno, 0);
    assert_int_equal(whole.event_count, events);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
}

static void without_fallocate_nothing_is_mapped(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_fallocate, write_and_finish, path, 0);
    check_finished(path, 40001);
    free(path);
}

static void without_shared_mappings_nothing_is_mapped(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_shared_mappings, write_and_finish, path, 0);
    check_finished(path, 40001);
    free(path);
}

static int create_and_die(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    raise(SIGKILL);
    return 2;
}

static void a_trace_without_events_is_one_from_the_first_moment(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_fallocate, create_and_die, path, -SIGKILL);
    struct whole whole = whole_read(path);
    assert_int_equal(whole.status, MT_OPEN_OK);
    assert_int_equal(whole.event_count, 0);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    free(path);
}

static int write_and_die(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *busy = mt_lane_acquire(trace, 1), *idle = mt_lane_acquire(trace, 2),
                   *released = mt_lane_acquire(trace, 3);
    if (mt_define_string(trace, "text") != 1) return 2;
    write_at(idle, 1, 20);
    write_at(released, 1, 10);
    mt_lane_release(released);
    write_at(busy, 1, 100);
    write_at(busy, 3, 1); // two seconds later: all that came before goes out
    raise(SIGKILL);
    return 3;
}

static void what_one_thread_writes_out_it_writes_for_all(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_shared_mappings, write_and_die, path, -SIGKILL);
    struct whole whole = whole_read(path);
    assert_int_equal(whole.header.state, MT_STATE_WRITING);
    assert_int_equal(whole.header.storage, MT_STORAGE_BUFFERED);
    assert_int_equal(whole.event_count, 130);
    assert_true(whole_says(&whole, 1, "text"));
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    free(path);
}

static int fail_and_die(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    const struct mt_tagged wanted = {MT_TAG_BYTES, 4096};
    write_at(lane, 1, 5);
    mt_write_event(lane, MT_EFFECT_FAILED, &(struct mt_event){.time_ns = 1000000005, .api = 1}, &wanted, 1);
    raise(SIGKILL);
    return 2;
}

static void a_failed_call_is_written_at_once(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_fallocate, fail_and_die, path, -SIGKILL);
    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 6);
    assert_int_equal(whole.events[5].effect, MT_EFFECT_FAILED);
    assert_int_equal(whole.events[5].bytes, 4096);
    whole_free(&whole);
    free(path);
}

static int fork_and_go_on(const char *path) {
    struct mt_trace *trace;
    int status;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    write_at(lane, 1, 100);
    pid_t child = fork();
    if (child == 0) {
        write_at(lane, 2, 20000);
        mt_lane_release(lane);
        mt_trace_finish(trace);
        _exit(mt_define_string(trace, "child") == 0 && mt_lane_acquire(trace, 2) == NULL ? 0 : 1);
    }
    if (waitpid(child, &status, 0) != child || status != 0) return 2;
    write_at(lane, 3, 100);
    mt_trace_finish(trace);
    return 0;
}

static void a_forked_child_writes_nothing_out(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_fallocate, fork_and_go_on, path, 0);
    check_finished(path, 200);
    free(path);
}

static int lose_every_descriptor(const char *path) {
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (uint64_t second = 0; second < 4; second++) {
        write_at(lane, second, 10000);
        for (int fd = 3; fd < 1024; fd++) close(fd);
    }
    mt_trace_finish(trace);
    return 0;
}

static void a_program_may_close_every_descriptor(void **state) {
    char *path = path_in(state, "trace.bin");
    child_behind(refuse_fallocate, lose_every_descriptor, path, 0);
    check_finished(path, 40000);
    free(path);
}

enum { WRITERS = 4 };

// In shared memory: how many events each writer of a child has written, and how many the child says were lost.
static _Atomic uint64_t *written;
enum { LOST = WRITERS };

struct writer {
    struct mt_trace *trace;
    uint32_t tid;
    _Atomic bool *stop;
};

// Every event has a stack of its own, which is defined just before.
static void *write_new_stacks(void *argument) {
    struct writer *writer = argument;
    struct mt_lane *lane = mt_lane_acquire(writer->trace, writer->tid);
    for (uint64_t i = 0; !atomic_load(writer->stop); i++) {
        struct mt_frame frame = {.address = (uint64_t)writer->tid << 32 | i, .line = 1, .python = true};
        struct mt_event event = {.api = 1, .stack = mt_define_stack(writer->trace, &frame, 1)};
        event.time_ns = mt_now_ns();
        mt_write_alloc(lane, &event, i, 1);
        written[writer->tid] = i + 1;
    }
    mt_lane_release(lane);
    return NULL;
}

// A failed call is written at once, and all that came before it: the kill then finds a trace with events in it.
static void write_failure(struct mt_trace *trace) {
    struct mt_lane *lane = mt_lane_acquire(trace, WRITERS);
    struct mt_frame frame = {.address = (uint64_t)WRITERS << 32, .line = 1, .python = true};
    struct mt_event event = {.api = 1, .stack = mt_define_stack(trace, &frame, 1)};
    event.time_ns = mt_now_ns();
    mt_write_event(lane, MT_EFFECT_FAILED, &event, &(struct mt_tagged){MT_TAG_BYTES, 1}, 1);
}

// Threads in full flight, until the trace is finished under them or everything is killed.
static int write_together(const char *path, bool killed) {
    _Atomic bool stop = false;
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    struct mt_trace *trace;
    if (mt_trace_create(path, &trace) != 0) return 1;
    for (uint32_t i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){trace, i, &stop};
        if (pthread_create(&threads[i], NULL, write_new_stacks, &writers[i]) != 0) return 2;
    }
    for (int i = 0; i < WRITERS; i++)
        while (written[i] < 5000) usleep(1000);
    if (killed) {
        write_failure(trace);
        raise(SIGKILL);
    }
    mt_trace_finish(trace);
    stop = true;
    for (int i = 0; i < WRITERS; i++) pthread_join(threads[i], NULL);
    written[LOST] = mt_trace_loss(trace).events;
    return 0;
}

static int write_together_and_finish(const char *path) {
    return write_together(path, false);
}

static int write_together_and_die(const char *path) {
    return write_together(path, true);
}

static uint64_t written_by_all(void) {
    uint64_t sum = 0;
    for (int i = 0; i < WRITERS; i++) sum += written[i];
    return sum;
}

static struct whole write_in_child(const char *path, int (*work)(const char *), int expected) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    written = page;
    child_behind(refuse_fallocate, work, path, expected);
    struct whole whole = whole_read(path);
    assert_int_equal(whole.header.storage, MT_STORAGE_BUFFERED);
    assert_int_equal(whole.damage.chunks, 0);
    return whole;
}

// Every event's stack is there, and is one of its thread's, in the order it made them. The failure's thread is the
// last.
static void check_stacks(const struct whole *whole) {
    size_t nodes = whole_count(whole, MT_RECORD_PYTHON_FRAME);
    uint64_t *frames = calloc(nodes + 1, sizeof *frames), next[WRITERS + 1] = {0};
    assert_non_null(frames);
    for (size_t i = 0; i < whole->definition_count; i++) {
        const struct mt_definition *definition = &whole->definitions[i];
        if (definition->type != MT_RECORD_PYTHON_FRAME) continue;
        assert_in_range(definition->id, 1, nodes);
        frames[definition->id] = (uint64_t)definition->code + 1;
    }
    for (size_t i = 0; i < whole->event_count; i++) {
        const struct mt_record_event *event = &whole->events[i];
        assert_in_range(event->stack, 1, nodes);
        assert_int_equal(frames[event->stack], event->thread + 1);
        assert_int_equal(event->address, next[event->thread]++);
    }
    free(frames);
}

static void an_end_in_the_middle_counts_every_event(void **state) {
    char *path = path_in(state, "trace.bin");
    struct whole whole = write_in_child(path, write_together_and_finish, 0);
    assert_int_equal(whole.header.state, MT_STATE_FINISHED);
    assert_int_equal(whole.event_count + written[LOST], written_by_all());
    check_stacks(&whole);
    whole_free(&whole);
    munmap((void *)written, 4096);
    free(path);
}

static void a_kill_in_the_middle_leaves_no_event_without_its_stack(void **state) {
    char *path = path_in(state, "trace.bin");
    struct whole whole = write_in_child(path, write_together_and_die, -SIGKILL);
    assert_int_equal(whole.header.state, MT_STATE_WRITING);
    assert_in_range(whole.event_count, WRITERS + 1, written_by_all() + WRITERS + 1);
    check_stacks(&whole);
    whole_free(&whole);
    munmap((void *)written, 4096);
    free(path);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(without_fallocate_nothing_is_mapped),
        TEST(without_shared_mappings_nothing_is_mapped),
        TEST(a_trace_without_events_is_one_from_the_first_moment),
        TEST(what_one_thread_writes_out_it_writes_for_all),
        TEST(a_failed_call_is_written_at_once),
        TEST(a_forked_child_writes_nothing_out),
        TEST(a_program_may_close_every_descriptor),
        TEST(an_end_in_the_middle_counts_every_event),
        TEST(a_kill_in_the_middle_leaves_no_event_without_its_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
