/*
 * Programs that never stop making new names, new call stacks and new threads: memory and file stay bounded, what is
 * known stays known, and the rest is counted.
 */
#include "tests/unit/trace_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tracer/internal.h"

enum { FEW = 1000 };

static void a_table_takes_no_more_than_its_limit(void **state) {
    struct mt_table table = {.limit = FEW};
    struct mt_arena arena = {0};
    (void)state;
    for (uint32_t key = 1; key <= FEW; key++) {
        assert_int_equal(mt_table_reserve(&table, &arena), 0);
        mt_table_add(&table, key, 2 * key);
    }
    assert_int_equal(mt_table_reserve(&table, &arena), -ENOMEM);
    for (uint32_t key = 1; key <= FEW; key++) assert_int_equal(mt_table_find(&table, key), 2 * key);

    mt_table_clear(&table);
    for (uint32_t key = 1; key <= FEW; key++) assert_int_equal(mt_table_find(&table, key), 0);
    assert_int_equal(mt_table_reserve(&table, &arena), 0);
    mt_table_add(&table, 7, 8);
    assert_int_equal(mt_table_find(&table, 7), 8);
}

struct searched {
    struct mt_table table;
    _Atomic bool stop, wrong;
};

static void *search(void *argument) {
    struct searched *searched = argument;
    for (uint32_t key = 1; !atomic_load(&searched->stop); key = key % (4 * FEW) + 1) {
        uint32_t value = mt_table_find(&searched->table, key);
        if (value != 0 && value != 2 * key) atomic_store(&searched->wrong, true);
    }
    return NULL;
}

static void who_reads_while_it_is_cleared_sees_no_wrong_id(void **state) {
    // given a table that is filled with other keys each time, cleared and filled again, when it is read meanwhile
    struct searched searched = {.table = {.limit = FEW}};
    struct mt_arena arena = {0};
    pthread_t reader;
    (void)state;
    assert_int_equal(pthread_create(&reader, NULL, search, &searched), 0);
    for (uint32_t round = 0; round < 300; round++) {
        for (uint32_t i = 0; mt_table_reserve(&searched.table, &arena) == 0; i++) {
            uint32_t key = round % 4 * FEW + i + 1;
            mt_table_add(&searched.table, key, 2 * key);
        }
        mt_table_clear(&searched.table);
    }
    atomic_store(&searched.stop, true);
    pthread_join(reader, NULL);
    assert_false(atomic_load(&searched.wrong));
}

static void names_without_end_are_lost_and_counted(void **state) {
    char *path = path_in(state, "trace.bin"), text[32];
    struct mt_trace *trace = trace_make(path);
    trace->names.limit = FEW;
    for (uint32_t i = 1; i <= FEW + 5; i++) {
        snprintf(text, sizeof text, "step %u", i);
        assert_int_equal(mt_define_string(trace, text), i <= FEW ? i : 0);
    }
    assert_int_equal(mt_define_string(trace, "step 1"), 1);
    assert_int_equal(mt_define_kernel(trace, "step 1"), 0);
    assert_int_equal(mt_define_context(trace, 0), 1); // no name: no limit
    assert_int_equal(mt_trace_loss(trace).definitions, 6);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_int_equal(whole_count(&whole, MT_RECORD_STRING), FEW);
    assert_int_equal(whole_count(&whole, MT_RECORD_CONTEXT), 1);
    assert_int_equal(whole.header.lost_definitions, 6);
    assert_int_equal(whole.header.lost_errno, ENOMEM);
    whole_free(&whole);
    free(path);
}

// A Python frame: it lies in no module.
static struct mt_frame frame_of(uint32_t code) {
    return (struct mt_frame){.address = (uint64_t)code << 32, .line = 1, .python = true};
}

static void frames_without_end_are_lost_and_counted(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    trace->frames.limit = FEW;
    for (uint32_t i = 1; i <= FEW + 5; i++) {
        struct mt_frame frame = frame_of(i);
        assert_int_equal(mt_define_stack(trace, &frame, 1), i <= FEW ? i : 0);
    }
    struct mt_frame known = frame_of(1);
    assert_int_equal(mt_define_stack(trace, &known, 1), 1);
    assert_int_equal(mt_trace_loss(trace).definitions, 5);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_int_equal(whole_count(&whole, MT_RECORD_PYTHON_FRAME), FEW);
    assert_int_equal(whole.header.lost_definitions, 5);
    whole_free(&whole);
    free(path);
}

static void stacks_may_be_forgotten_and_found_again(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    trace->stacks.limit = FEW;
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 1; i <= FEW + 500; i++) {
            struct mt_frame frame = frame_of(i);
            assert_int_equal(mt_define_stack(trace, &frame, 1), i);
        }
    assert_int_equal(mt_trace_loss(trace).definitions, 0);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_int_equal(whole_count(&whole, MT_RECORD_PYTHON_FRAME), FEW + 500);
    whole_free(&whole);
    free(path);
}

enum { CROWD = 20, ROUNDS = 200 };

static void write_at(struct mt_lane *lane, uint64_t time_ns) {
    mt_write_alloc(lane, &(struct mt_event){.time_ns = time_ns, .api = 1}, 1, 1);
}

static void a_late_event_among_many_threads_takes_no_new_chunk_each_time(void **state) {
    // given threads that come and go, and one whose calls take longer than all of them: it records their beginning late
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *slow = mt_lane_acquire(trace, 1), *crowd[CROWD];
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (uint32_t i = 0; i < CROWD; i++) crowd[i] = mt_lane_acquire(trace, 2 + i);
        for (uint32_t i = 0; i < CROWD; i++) write_at(crowd[i], 1000 * round + 800);
        for (uint32_t i = 0; i < CROWD; i++) mt_lane_release(crowd[i]);
        write_at(slow, 1000 * round + 900);
        write_at(slow, 1000 * round + 500);
    }
    mt_trace_finish(trace);

    // then there are as many logs as threads at a time, and one
    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, ROUNDS * (CROWD + 2));
    for (size_t i = 1; i < whole.event_count; i++) assert_true(whole.events[i].time_ns >= whole.events[i - 1].time_ns);
    assert_true(mt_reader_file_bytes(whole.reader) <= 4096 + (CROWD + 2) * 65536);
    whole_free(&whole);
    free(path);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(a_table_takes_no_more_than_its_limit),
        TEST(who_reads_while_it_is_cleared_sees_no_wrong_id),
        TEST(names_without_end_are_lost_and_counted),
        TEST(frames_without_end_are_lost_and_counted),
        TEST(stacks_may_be_forgotten_and_found_again),
        TEST(a_late_event_among_many_threads_takes_no_new_chunk_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
