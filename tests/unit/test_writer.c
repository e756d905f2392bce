/*
 * Writer to reader: every kind of record arrives as it was written, and small.
 */
#include "tests/unit/trace_files.h"

#include <errno.h>

static void every_kind_of_event_arrives(void **state) {
    // given one event of each kind
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 4294967295u);
    const struct mt_event event = {.time_ns = 5000, .api = 300, .stack = 70000, .context = 2, .stream = 0x55aa00001234};
    const struct mt_event later = {.time_ns = 5001, .api = 1, .context = 2};
    const struct mt_tagged tags[] = {{MT_TAG_RESULT, 2}, {MT_TAG_BYTES, UINT64_MAX}, {MT_TAG_COUNT, 9}};
    mt_write_alloc(lane, &event, UINT64_MAX, 1);
    mt_write_launch(lane, &event, 12);
    mt_write_free(lane, &later, 0);
    mt_write_event(lane, MT_EFFECT_FAILED, &later, tags, 3);
    mt_trace_finish(trace);

    // when they are read
    struct whole whole = whole_read(path);

    // then they are the same
    assert_int_equal(whole.event_count, 4);
    const struct mt_record_event *alloc = &whole.events[0], *launch = &whole.events[1], *gone = &whole.events[2],
                                 *failed = &whole.events[3];
    assert_int_equal(alloc->effect, MT_EFFECT_ALLOCATED);
    assert_int_equal(alloc->address, UINT64_MAX);
    assert_int_equal(alloc->bytes, 1);
    assert_int_equal(alloc->thread, 4294967295u);
    assert_int_equal(alloc->context, 2);
    assert_int_equal(alloc->stream, 0x55aa00001234);
    assert_int_equal(launch->effect, MT_EFFECT_LAUNCHED);
    assert_int_equal(launch->time_ns, 5000);
    assert_int_equal(launch->launch, 12);
    assert_int_equal(launch->api, 300);
    assert_int_equal(launch->stack, 70000);
    assert_int_equal(launch->address, 0);
    assert_int_equal(gone->effect, MT_EFFECT_FREED);
    assert_int_equal(gone->time_ns, 5001);
    assert_int_equal(gone->address, 0);
    assert_int_equal(gone->stream, 0);
    assert_int_equal(gone->context, 2);
    assert_int_equal(failed->effect, MT_EFFECT_FAILED);
    assert_int_equal(failed->present, 1u << MT_TAG_RESULT | 1u << MT_TAG_BYTES | 1u << MT_TAG_COUNT);
    assert_int_equal(failed->tags[MT_TAG_RESULT], 2);
    assert_int_equal(failed->tags[MT_TAG_COUNT], 9);
    assert_int_equal(failed->bytes, UINT64_MAX);
    assert_int_equal(mt_reader_event_count(whole.reader), 4);
    whole_free(&whole);
    free(path);
}

static void tags_of_one_event_do_not_leak_into_the_next(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    const struct mt_event event = {.time_ns = 1};
    mt_write_event(lane, MT_EFFECT_SAMPLED, &event, &(struct mt_tagged){MT_TAG_USED, 7}, 1);
    mt_write_event(lane, MT_EFFECT_NOTE, &event, NULL, 0);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);

    assert_int_equal(whole.events[0].tags[MT_TAG_USED], 7);
    assert_int_equal(whole.events[1].effect, MT_EFFECT_NOTE);
    assert_int_equal(whole.events[1].present, 0);
    assert_int_equal(whole.events[1].tags[MT_TAG_USED], 0);
    whole_free(&whole);
    free(path);
}

static void events_fill_many_chunks_in_order(void **state) {
    // given far more events than one chunk holds
    enum { PAIRS = 40000 };
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (uint64_t i = 0; i < PAIRS; i++) {
        mt_write_alloc(lane, &(struct mt_event){.time_ns = 2 * i, .api = 1, .stack = 1}, 4096 * i, i);
        mt_write_free(lane, &(struct mt_event){.time_ns = 2 * i + 1, .api = 2, .stack = 2}, 4096 * i);
    }
    mt_lane_release(lane);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);

    assert_int_equal(whole.event_count, 2 * PAIRS);
    assert_int_equal(whole.damage.chunks, 0);
    assert_true(mt_reader_event_bytes(whole.reader) > 4 * 65536);
    for (uint64_t i = 0; i < PAIRS; i++) {
        assert_int_equal(whole.events[2 * i].time_ns, 2 * i);
        assert_int_equal(whole.events[2 * i].address, 4096 * i);
        assert_int_equal(whole.events[2 * i].bytes, i);
        assert_int_equal(whole.events[2 * i + 1].address, 4096 * i);
        assert_int_equal(whole.events[2 * i + 1].effect, MT_EFFECT_FREED);
    }
    whole_free(&whole);
    free(path);
}

static void a_steady_state_costs_at_most_8_bytes_an_event(void **state) {
    // given a training step's pattern: 16 buffers taken and given back, 1.3 µs apart, again and again
    enum { STEPS = 500, BUFFERS = 16 };
    static const uint64_t sizes[BUFFERS] = {512, 4096, 4096, 1048576, 4194304, 4194304, 512, 8388608,
                                            512, 4096, 4096, 1048576, 4194304, 4194304, 512, 8388608};
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 4711);
    uint64_t time_ns = 1000000;
    for (int step = 0; step < STEPS; step++) {
        uint64_t address = 0x7f2a40000000;
        for (uint32_t i = 0; i < BUFFERS; i++, time_ns += 1300, address += sizes[i - 1]) {
            mt_write_alloc(lane, &(struct mt_event){.time_ns = time_ns, .api = 3, .stack = 100 + i, .context = 1},
                           address, sizes[i]);
            time_ns += 1300;
            mt_write_free(lane, &(struct mt_event){.time_ns = time_ns, .api = 4, .stack = 100 + i, .context = 1},
                          address);
        }
    }
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);

    assert_int_equal(whole.event_count, STEPS * BUFFERS * 2);
    assert_true(mt_reader_event_bytes(whole.reader) <= 8 * whole.event_count);
    whole_free(&whole);
    free(path);
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

static void repeated_and_crossing_sites_arrive(void **state) {
    // given more kinds of events than a chunk has sites, some often and some rarely, at few and at many addresses
    enum { COUNT = 100000 };
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    uint64_t random = 88172645463325252u;
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t kind = next_random(&random) % (i % 2 ? 50 : 5000), address = next_random(&random) % (1 + kind % 3);
        struct mt_event event = {.time_ns = i, .api = kind % 7, .stack = (uint32_t)kind, .stream = kind % 2};
        if (kind % 5 == 0)
            mt_write_launch(lane, &event, (uint32_t)kind % 11);
        else if (kind % 5 == 1)
            mt_write_free(lane, &event, address);
        else
            mt_write_alloc(lane, &event, address, kind % 13);
    }
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);

    assert_int_equal(whole.event_count, COUNT);
    assert_int_equal(whole.damage.chunks, 0);
    random = 88172645463325252u;
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t kind = next_random(&random) % (i % 2 ? 50 : 5000), address = next_random(&random) % (1 + kind % 3);
        const struct mt_record_event *event = &whole.events[i];
        bool launch = kind % 5 == 0, gone = kind % 5 == 1;
        assert_int_equal(event->time_ns, i);
        assert_int_equal(event->api, kind % 7);
        assert_int_equal(event->stack, kind);
        assert_int_equal(event->stream, kind % 2);
        assert_int_equal(event->effect, launch ? MT_EFFECT_LAUNCHED : gone ? MT_EFFECT_FREED : MT_EFFECT_ALLOCATED);
        assert_int_equal(event->launch, launch ? kind % 11 : 0);
        assert_int_equal(event->address, launch ? 0 : address);
        assert_int_equal(event->bytes, launch || gone ? 0 : kind % 13);
    }
    whole_free(&whole);
    free(path);
}

static void an_older_event_keeps_its_time(void **state) {
    // given an event that was stamped before the last one its thread recorded, as a free is whose call recorded others
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (uint64_t i = 0; i < 1000; i++) {
        mt_write_alloc(lane, &(struct mt_event){.time_ns = 100 * i + 50}, 2 * i + 1, 1);
        mt_write_free(lane, &(struct mt_event){.time_ns = 100 * i + 10}, 2 * i);
    }
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);

    // then every event has its own time, in order, and it takes two logs, not a thousand
    assert_int_equal(whole.event_count, 2000);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(whole.events[2 * i].time_ns, 100 * i + 10);
        assert_int_equal(whole.events[2 * i].address, 2 * i);
        assert_int_equal(whole.events[2 * i + 1].time_ns, 100 * i + 50);
    }
    assert_true(mt_reader_file_bytes(whole.reader) <= 4096 + 2 * 65536);
    whole_free(&whole);
    free(path);
}

static void ties_keep_the_order_of_streams(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *first = mt_lane_acquire(trace, 1), *second = mt_lane_acquire(trace, 2);
    const struct mt_event event = {.time_ns = 9};
    mt_write_alloc(second, &event, 20, 1);
    mt_write_alloc(first, &event, 10, 1);
    mt_write_alloc(second, &event, 21, 1);
    mt_write_alloc(first, &event, 11, 1);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);

    assert_int_equal(whole.event_count, 4);
    assert_int_equal(whole.events[0].address, 10);
    assert_int_equal(whole.events[1].address, 11);
    assert_int_equal(whole.events[2].address, 20);
    assert_int_equal(whole.events[3].address, 21);
    whole_free(&whole);
    free(path);
}

static void errno_belongs_to_the_program(void **state) {
    char *path = path_in(state, "trace.bin");
    errno = EDOM;
    struct mt_trace *trace = trace_make(path);
    assert_int_equal(errno, EDOM);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    mt_define_string(trace, "text");
    for (uint64_t i = 0; i < 20000; i++) mt_write_alloc(lane, &(struct mt_event){.time_ns = i}, i, i);
    mt_lane_release(lane);
    assert_int_equal(errno, EDOM);
    mt_trace_finish(trace);
    assert_int_equal(errno, EDOM);
    free(path);
}

static void nothing_recorded_is_a_header(void **state) {
    char *path = path_in(state, "trace.bin");
    mt_trace_finish(trace_make(path));

    struct whole whole = whole_read(path);

    assert_int_equal(whole.status, MT_OPEN_OK);
    assert_int_equal(whole.event_count + whole.definition_count, 0);
    assert_int_equal(mt_reader_file_bytes(whole.reader), 4096);
    whole_free(&whole);
    free(path);
}

static void what_comes_after_the_end_is_counted(void **state) {
    // given a finished trace whose stream is still owned
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    mt_write_alloc(lane, &(struct mt_event){.time_ns = 1}, 1, 1);
    mt_trace_finish(trace);

    // when its thread goes on, and defines things
    for (uint64_t i = 2; i < 20002; i++) mt_write_alloc(lane, &(struct mt_event){.time_ns = i}, i, 1);
    assert_int_equal(mt_define_string(trace, "late"), 0);
    mt_lane_release(lane);
    mt_trace_finish(trace);

    // then the file has what was in time, and knows of the rest
    assert_int_equal(mt_trace_loss(trace).events, 20000);
    assert_int_equal(mt_trace_loss(trace).definitions, 1);
    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 1);
    assert_int_equal(whole.header.lost_events, 20000);
    assert_int_equal(whole.header.lost_definitions, 1);
    whole_free(&whole);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_event_arrives, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(tags_of_one_event_do_not_leak_into_the_next, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(events_fill_many_chunks_in_order, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_steady_state_costs_at_most_8_bytes_an_event, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(repeated_and_crossing_sites_arrive, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(an_older_event_keeps_its_time, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(ties_keep_the_order_of_streams, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(errno_belongs_to_the_program, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(nothing_recorded_is_a_header, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_comes_after_the_end_is_counted, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
