/*
 * The worked example of format.h, byte by byte, and the sizes and places that the format promises.
 */
#include "tests/unit/trace_files.h"

#include "tracer/checksum.h"

// As written in the comment of format.h.
static const uint8_t example[] = {0x01, 0x07, 0x02, 0x01, 0x00, 0x03, 0x00, 0x03, 0x80, 0x80, 0x80, 0x80, 0x80,
                                  0xc0, 0x3f, 0x80, 0x80, 0x80, 0x01, 0x05, 0x04, 0xd0, 0x0f, 0x04, 0x00, 0x06};

static void write_example(const char *path) {
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 7);
    struct mt_event alloc = {.time_ns = 1000250, .api = 3, .stack = 5, .context = 1};
    struct mt_event gone = {.time_ns = 1002250, .api = 4, .stack = 6, .context = 1};
    mt_write_alloc(lane, &alloc, 0x7f0000000000, 1048576);
    mt_write_free(lane, &gone, 0x7f0000000000);
    mt_lane_release(lane);
    mt_trace_finish(trace);
}

static void the_writer_produces_the_worked_example(void **state) {
    // given a trace with the two events of the example
    char *path = path_in(state, "trace.bin");
    write_example(path);

    // when its bytes are looked at
    struct bytes file = bytes_read(path);
    struct mt_chunk_header chunk;
    assert_int_equal(file.count, 4096 + 64 + sizeof example);
    memcpy(&chunk, file.data + 4096, sizeof chunk);

    // then they are those of the specification
    assert_int_equal(chunk.base_time_ns, 1000250);
    assert_int_equal(chunk.used, sizeof example);
    assert_int_equal(chunk.records, 2);
    assert_int_equal(chunk.kind, MT_CHUNK_EVENTS);
    assert_int_equal(chunk.sealed, 1);
    assert_int_equal(chunk.checksum, mt_chunk_checksum(&chunk, example));
    assert_memory_equal(file.data + 4096 + 64, example, sizeof example);
    free(file.data);
    free(path);
}

static void the_reader_understands_the_worked_example(void **state) {
    char *path = path_in(state, "trace.bin");
    write_example(path);

    struct whole whole = whole_read(path);

    assert_int_equal(whole.status, MT_OPEN_OK);
    assert_int_equal(whole.event_count, 2);
    const struct mt_record_event *alloc = &whole.events[0], *gone = &whole.events[1];
    assert_int_equal(alloc->effect, MT_EFFECT_ALLOCATED);
    assert_int_equal(alloc->time_ns, 1000250);
    assert_int_equal(alloc->thread, 7);
    assert_int_equal(alloc->context, 1);
    assert_int_equal(alloc->stream, 0);
    assert_int_equal(alloc->api, 3);
    assert_int_equal(alloc->address, 0x7f0000000000);
    assert_int_equal(alloc->bytes, 1048576);
    assert_int_equal(alloc->stack, 5);
    assert_int_equal(gone->effect, MT_EFFECT_FREED);
    assert_int_equal(gone->time_ns, 1002250);
    assert_int_equal(gone->thread, 7);
    assert_int_equal(gone->api, 4);
    assert_int_equal(gone->address, 0x7f0000000000);
    assert_int_equal(gone->stack, 6);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    free(path);
}

static void headers_have_the_promised_layout(void **state) {
    (void)state;
    assert_int_equal(sizeof(struct mt_file_header), 128);
    assert_int_equal(sizeof(struct mt_chunk_header), 64);
    assert_int_equal(offsetof(struct mt_file_header, version), 8);
    assert_int_equal(offsetof(struct mt_file_header, state), 28);
    assert_int_equal(offsetof(struct mt_file_header, start_monotonic_ns), 40);
    assert_int_equal(offsetof(struct mt_file_header, file_bytes), 88);
    assert_int_equal(offsetof(struct mt_chunk_header, used), 16);
    assert_int_equal(offsetof(struct mt_chunk_header, checksum), 32);
    assert_memory_equal(&(uint32_t){MT_CHUNK_MAGIC}, "MTCK", 4);
}

static void a_finished_header_says_what_the_trace_is(void **state) {
    char *path = path_in(state, "trace.bin");
    write_example(path);

    struct bytes file = bytes_read(path);
    struct mt_file_header header;
    memcpy(&header, file.data, sizeof header);

    assert_memory_equal(header.magic, "MEMTRACE", 8);
    assert_int_equal(header.version, 1);
    assert_int_equal(header.features, 0);
    assert_int_equal(header.header_bytes, 4096);
    assert_int_equal(header.chunk_bytes, 65536);
    assert_int_equal(header.state, MT_STATE_FINISHED);
    assert_int_equal(header.storage, MT_STORAGE_MAPPED);
    assert_true(header.end_monotonic_ns >= header.start_monotonic_ns);
    assert_true(header.start_realtime_ns > UINT64_C(1600000000) * 1000000000);
    assert_int_equal(header.lost_events, 0);
    assert_int_equal(header.lost_definitions, 0);
    assert_int_equal(header.file_bytes, file.count);
    for (size_t i = sizeof header; i < 4096; i++) assert_int_equal(file.data[i], 0);
    free(file.data);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_writer_produces_the_worked_example, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(the_reader_understands_the_worked_example, folder_make, folder_remove),
        cmocka_unit_test(headers_have_the_promised_layout),
        cmocka_unit_test_setup_teardown(a_finished_header_says_what_the_trace_is, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
