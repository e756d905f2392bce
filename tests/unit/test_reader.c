/*
 * The reader on files made by hand: what it refuses, what it steps over, where it stops, and how it merges.
 */
#include "tests/unit/trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/site.h"

enum { HEADER = 4096, CHUNK = 65536 };

static struct mt_file_header plain_header(void) {
    return (struct mt_file_header){.magic = MT_MAGIC,
                                   .version = MT_VERSION,
                                   .header_bytes = HEADER,
                                   .chunk_bytes = CHUNK,
                                   .state = MT_STATE_WRITING,
                                   .storage = MT_STORAGE_MAPPED};
}

// Adds an open chunk with this payload.
static void put_chunk(int fd, enum mt_chunk_kind kind, uint32_t index, uint32_t stream, uint64_t base_time_ns,
                      const void *payload, uint32_t used) {
    const struct mt_chunk_header header = {.magic = MT_CHUNK_MAGIC,
                                           .kind = (uint16_t)kind,
                                           .index = index,
                                           .lane = stream,
                                           .used = used,
                                           .base_time_ns = base_time_ns};
    off_t offset = HEADER + (off_t)index * CHUNK;
    assert_int_equal(pwrite(fd, &header, sizeof header, offset), sizeof header);
    assert_int_equal(pwrite(fd, payload, used, offset + (off_t)sizeof header), used);
}

static int make_file(const char *path, const struct mt_file_header *header, uint32_t chunks) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, HEADER + (off_t)chunks * CHUNK), 0);
    assert_int_equal(pwrite(fd, header, sizeof *header, 0), sizeof *header);
    return fd;
}

// A file with one chunk, read.
static struct whole read_payload(void **state, enum mt_chunk_kind kind, const uint8_t *payload, uint32_t used) {
    char *path = path_in(state, "trace.bin");
    struct mt_file_header header = plain_header();
    int fd = make_file(path, &header, 1);
    put_chunk(fd, kind, 0, 0, 100, payload, used);
    close(fd);
    struct whole whole = whole_read(path);
    assert_int_equal(whole.status, MT_OPEN_OK);
    free(path);
    return whole;
}

#define READ(state, kind, ...)                                                                                         \
    read_payload(state, kind, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static enum mt_open_status try_open(const char *path, uint32_t *version) {
    struct mt_reader *reader = NULL;
    enum mt_open_status status = mt_reader_open(path, &reader, version);
    if (status == MT_OPEN_OK) mt_reader_close(reader);
    return status;
}

static void what_is_no_trace_is_named(void **state) {
    char *path = path_in(state, "file"), *folder = path_in(state, "folder"), *fifo = path_in(state, "fifo");
    static const uint8_t zeros[8192];
    uint32_t version;
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);

    errno = 0;
    assert_int_equal(try_open(path, &version), MT_OPEN_SYSTEM);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(try_open(folder, &version), MT_OPEN_SYSTEM);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(try_open(fifo, &version), MT_OPEN_FOREIGN);
    bytes_write(path, "", 0);
    assert_int_equal(try_open(path, &version), MT_OPEN_EMPTY);
    bytes_write(path, "A text, longer than a magic.", 28);
    assert_int_equal(try_open(path, &version), MT_OPEN_FOREIGN);
    bytes_write(path, zeros, sizeof zeros);
    assert_int_equal(try_open(path, &version), MT_OPEN_FOREIGN);
    bytes_write(path, "MEM", 3);
    assert_int_equal(try_open(path, &version), MT_OPEN_TRUNCATED);
    bytes_write(path, "MEMTRACE", 8);
    assert_int_equal(try_open(path, &version), MT_OPEN_TRUNCATED);
    free(path);
    free(folder);
    free(fifo);
}

static enum mt_open_status open_header(const char *path, const struct mt_file_header *header, uint32_t *version) {
    close(make_file(path, header, 0));
    return try_open(path, version);
}

static void a_newer_file_says_its_version(void **state) {
    char *path = path_in(state, "trace.bin");
    uint32_t version = 0;
    struct mt_file_header header = plain_header();
    header.version = 7;
    assert_int_equal(open_header(path, &header, &version), MT_OPEN_NEWER);
    assert_int_equal(version, 7);
    header = plain_header();
    header.features = 1u << 31;
    assert_int_equal(open_header(path, &header, &version), MT_OPEN_NEWER);
    assert_int_equal(version, 1);
    free(path);
}

static void a_header_that_contradicts_itself_is_corrupt(void **state) {
    char *path = path_in(state, "trace.bin");
    uint32_t version;
    struct mt_file_header header = plain_header();
    header.chunk_bytes = 0;
    assert_int_equal(open_header(path, &header, &version), MT_OPEN_CORRUPT);
    header = plain_header();
    header.header_bytes = 64;
    assert_int_equal(open_header(path, &header, &version), MT_OPEN_CORRUPT);
    header = plain_header();
    header.header_bytes = UINT32_MAX;
    assert_int_equal(open_header(path, &header, &version), MT_OPEN_CORRUPT);
    header = plain_header();
    header.state = 3;
    assert_int_equal(open_header(path, &header, &version), MT_OPEN_CORRUPT);
    header = plain_header();
    header.version = 0;
    assert_int_equal(open_header(path, &header, &version), MT_OPEN_CORRUPT);
    header = plain_header();
    assert_int_equal(open_header(path, &header, &version), MT_OPEN_OK);
    free(path);
}

static void unknown_records_and_tags_are_stepped_over(void **state) {
    // given, between two launches, a record of type 0x7f and an event with the tags 40 and 3
    struct whole whole = READ(state, MT_CHUNK_EVENTS, 0x05, 0x01, 0x02, 0x03, 0x04, 0x7f, 0x02, 0xff, 0xff, 0x40, 0x08,
                              0x22, 0x01, 0x02, 0x00, 40, 0x05, 0x03, 0x06, 0x05, 0x01, 0x02, 0x05, 0x04);

    assert_int_equal(whole.event_count, 3);
    assert_int_equal(whole.events[0].launch, 3);
    assert_int_equal(whole.events[1].effect, MT_EFFECT_NOTE);
    assert_int_equal(whole.events[1].present, 1u << MT_TAG_TAKEN);
    assert_int_equal(whole.events[1].tags[MT_TAG_TAKEN], 6);
    assert_int_equal(whole.events[2].launch, 5);
    assert_int_equal(whole.events[2].time_ns, 103);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
}

static void an_unknown_compact_record_ends_its_chunk(void **state) {
    struct whole whole = READ(state, MT_CHUNK_EVENTS, 0x05, 0x01, 0x02, 0x03, 0x04, 0x3f, 0x05, 0x01, 0x02);

    assert_int_equal(whole.event_count, 1);
    assert_int_equal(whole.damage.chunks, 1);
    assert_int_equal(whole.damage.bytes, 4);
    assert_int_equal(whole.damage.first_offset, HEADER + 64 + 5);
    whole_free(&whole);
}

static void a_record_that_is_cut_by_its_chunk_is_no_event(void **state) {
    struct whole whole = READ(state, MT_CHUNK_EVENTS, 0x05, 0x01, 0x02, 0x03, 0x84);
    assert_int_equal(whole.event_count, 0);
    assert_int_equal(whole.damage.chunks, 1);
    assert_int_equal(whole.damage.bytes, 5);
    whole_free(&whole);

    whole = READ(state, MT_CHUNK_EVENTS, 0x40, 0x7f, 0x22, 0x01, 0x02, 0x00); // longer than the chunk
    assert_int_equal(whole.event_count, 0);
    assert_int_equal(whole.damage.chunks, 1);
    whole_free(&whole);

    whole = READ(state, MT_CHUNK_EVENTS, 0x40, 0x02, 0x22, 0x01, 0x02, 0x00); // shorter than its fields
    assert_int_equal(whole.event_count, 0);
    assert_int_equal(whole.damage.chunks, 1);
    whole_free(&whole);
}

static void a_time_beyond_64_bits_is_damage(void **state) {
    struct whole whole = READ(state, MT_CHUNK_EVENTS, 0x05, 0x01, 0x02, 0x03, 0x04, 0x05, 0xff, 0xff, 0xff, 0xff, 0xff,
                              0xff, 0xff, 0xff, 0xff, 0x01, 0x02, 0x03, 0x04);
    assert_int_equal(whole.event_count, 1);
    assert_int_equal(whole.damage.chunks, 1);
    whole_free(&whole);
}

static void repeated_records_take_from_their_site(void **state) {
    // given a free at 16 (api 1, stack 2), then again at 24, then the same once more
    uint32_t site = mt_site(MT_RECORD_FREE, 1, 2, 0);
    uint8_t low = (uint8_t)(site | 0x80), high = (uint8_t)(site >> 7);
    struct whole whole =
        READ(state, MT_CHUNK_EVENTS, 0x04, 0x01, 0x01, 0x20, 0x02, 0x07, 0x02, low, high, 0x10, 0x08, 0x03, low, high);
    assert_int_equal(whole.event_count, 3);
    assert_int_equal(whole.events[0].address, 16);
    assert_int_equal(whole.events[1].address, 24);
    assert_int_equal(whole.events[2].address, 24);
    assert_int_equal(whole.events[2].time_ns, 106);
    assert_int_equal(whole.events[2].effect, MT_EFFECT_FREED);
    assert_int_equal(whole.events[2].stack, 2);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
}

static void a_repetition_of_nothing_is_damage(void **state) {
    struct whole whole = READ(state, MT_CHUNK_EVENTS, 0x08, 0x01, 0x05); // an empty site
    assert_int_equal(whole.event_count, 0);
    assert_int_equal(whole.damage.chunks, 1);
    whole_free(&whole);
    whole = READ(state, MT_CHUNK_EVENTS, 0x08, 0x01, 0x80, 0x08); // site 1024
    assert_int_equal(whole.event_count, 0);
    assert_int_equal(whole.damage.chunks, 1);
    whole_free(&whole);
}

static void lost_events_are_reported_where_they_were_lost(void **state) {
    struct whole whole =
        READ(state, MT_CHUNK_EVENTS, 0x05, 0x01, 0x02, 0x03, 0x04, 0x06, 0xe8, 0x07, 0x05, 0x09, 0x02, 0x03, 0x04);
    assert_int_equal(whole.event_count, 3);
    assert_int_equal(whole.events[1].lost, 1000);
    assert_int_equal(whole.events[1].effect, MT_EFFECT_NONE);
    assert_int_equal(whole.events[1].time_ns, 101);
    assert_int_equal(whole.events[2].lost, 0);
    assert_int_equal(mt_reader_event_count(whole.reader), 2);
    whole_free(&whole);
}

static void definitions_may_have_grown_fields(void **state) {
    // given a context with a field more than we know, and a kernel
    struct whole whole = READ(state, MT_CHUNK_DEFINITIONS, 0x89, 0x03, 0x01, 0x02, 0x63, 0x87, 0x02, 0x01, 0x05);
    assert_int_equal(whole.definition_count, 2);
    assert_int_equal(whole_find(&whole, MT_RECORD_CONTEXT, 1)->device, 2);
    assert_int_equal(whole_find(&whole, MT_RECORD_KERNEL, 1)->name, 5);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
}

static void definitions_with_too_few_fields_are_damage(void **state) {
    struct whole whole =
        READ(state, MT_CHUNK_DEFINITIONS, 0x87, 0x02, 0x01, 0x05, 0x89, 0x01, 0x01, 0x87, 0x02, 0x01, 0x05);
    assert_int_equal(whole.definition_count, 1);
    assert_int_equal(whole.damage.chunks, 1);
    assert_int_equal(whole.damage.bytes, 7);
    whole_free(&whole);
}

static void an_id_of_more_than_32_bits_is_damage(void **state) {
    struct whole whole = READ(state, MT_CHUNK_DEFINITIONS, 0x87, 0x06, 0x80, 0x80, 0x80, 0x80, 0x10, 0x05);
    assert_int_equal(whole.definition_count, 0);
    assert_int_equal(whole.damage.chunks, 1);
    whole_free(&whole);
}

static void a_chunk_out_of_its_place_is_skipped(void **state) {
    // given a sound chunk, one that says another index, one with more bytes than fit, one of an unknown kind
    static const uint8_t launch[] = {0x05, 0x01, 0x02, 0x03, 0x04};
    char *path = path_in(state, "trace.bin");
    struct mt_file_header header = plain_header();
    int fd = make_file(path, &header, 5);
    for (uint32_t i = 0; i < 5; i++) put_chunk(fd, MT_CHUNK_EVENTS, i, i, 100, launch, sizeof launch);
    off_t second = HEADER + CHUNK, third = second + CHUNK, fourth = third + CHUNK;
    assert_int_equal(pwrite(fd, &(uint32_t){9}, 4, second + (off_t)offsetof(struct mt_chunk_header, index)), 4);
    assert_int_equal(pwrite(fd, &(uint32_t){CHUNK}, 4, third + (off_t)offsetof(struct mt_chunk_header, used)), 4);
    assert_int_equal(pwrite(fd, &(uint16_t){9}, 2, fourth + (off_t)offsetof(struct mt_chunk_header, kind)), 2);
    close(fd);

    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 2);
    assert_int_equal(whole.damage.chunks, 3);
    assert_int_equal(whole.damage.first_offset, second);
    whole_free(&whole);
    free(path);
}

static void a_stream_never_goes_back_in_time(void **state) {
    // given a stream whose second chunk begins before its first ends
    static const uint8_t launch[] = {0x05, 0x64, 0x02, 0x03, 0x04};
    char *path = path_in(state, "trace.bin");
    struct mt_file_header header = plain_header();
    int fd = make_file(path, &header, 3);
    put_chunk(fd, MT_CHUNK_EVENTS, 0, 0, 1000, launch, sizeof launch);
    put_chunk(fd, MT_CHUNK_EVENTS, 1, 0, 500, launch, sizeof launch);
    put_chunk(fd, MT_CHUNK_EVENTS, 2, 0, 2000, launch, sizeof launch);
    close(fd);

    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 2);
    assert_int_equal(whole.events[0].time_ns, 1100);
    assert_int_equal(whole.events[1].time_ns, 2100);
    assert_int_equal(whole.damage.chunks, 1);
    whole_free(&whole);
    free(path);
}

static void ten_thousand_streams_are_merged(void **state) {
    // given streams of two launches each, at times n and n + 20000
    enum { STREAMS = 10000 };
    static const uint8_t launches[] = {0x05, 0x00, 0x02, 0x03, 0x04, 0x05, 0xa0, 0x9c, 0x01, 0x02, 0x03, 0x04};
    char *path = path_in(state, "trace.bin");
    struct mt_file_header header = plain_header();
    int fd = make_file(path, &header, STREAMS); // sparse
    for (uint32_t i = 0; i < STREAMS; i++)
        put_chunk(fd, MT_CHUNK_EVENTS, i, STREAMS - i, STREAMS - i, launches, sizeof launches);
    close(fd);

    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 2 * STREAMS);
    for (uint32_t i = 0; i < STREAMS; i++) {
        assert_int_equal(whole.events[i].time_ns, i + 1);
        assert_int_equal(whole.events[STREAMS + i].time_ns, i + 1 + 20000);
    }
    whole_free(&whole);
    free(path);
}

static int stop_at_third(void *user, const struct mt_record_event *event) {
    (void)event;
    return ++*(int *)user == 3 ? 42 : 0;
}

static void a_caller_can_stop_and_start_again(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (uint64_t i = 0; i < 10; i++) mt_write_alloc(lane, &(struct mt_event){.time_ns = i}, i, i);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    int seen = 0;
    assert_int_equal(mt_reader_events(whole.reader, stop_at_third, &seen), 42);
    assert_int_equal(seen, 3);
    assert_int_equal(mt_reader_event_count(whole.reader), 3);
    seen = 100;
    assert_int_equal(mt_reader_events(whole.reader, stop_at_third, &seen), 0);
    assert_int_equal(seen, 110);
    whole_free(&whole);
    free(path);
}

static int ignore_event(void *user, const struct mt_record_event *event) {
    (void)event;
    ++*(int *)user;
    return 0;
}

static void a_file_that_shrinks_under_the_reader_is_damage(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    struct mt_lane *lane = mt_lane_acquire(trace, 1);
    for (uint64_t i = 0; i < 50000; i++) mt_write_alloc(lane, &(struct mt_event){.time_ns = i}, i, i);
    mt_trace_finish(trace);
    struct mt_reader *reader;
    uint32_t version;
    int seen = 0;
    assert_int_equal(mt_reader_open(path, &reader, &version), MT_OPEN_OK);

    assert_int_equal(truncate(path, HEADER + CHUNK + 1000), 0);

    assert_int_equal(mt_reader_events(reader, ignore_event, &seen), 0);
    assert_true(seen > 0 && seen < 50000);
    assert_true(mt_reader_damage(reader).chunks > 0);
    mt_reader_close(reader);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_no_trace_is_named, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_newer_file_says_its_version, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_header_that_contradicts_itself_is_corrupt, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(unknown_records_and_tags_are_stepped_over, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(an_unknown_compact_record_ends_its_chunk, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_record_that_is_cut_by_its_chunk_is_no_event, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_time_beyond_64_bits_is_damage, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(repeated_records_take_from_their_site, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_repetition_of_nothing_is_damage, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(lost_events_are_reported_where_they_were_lost, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(definitions_may_have_grown_fields, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(definitions_with_too_few_fields_are_damage, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(an_id_of_more_than_32_bits_is_damage, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_chunk_out_of_its_place_is_skipped, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_stream_never_goes_back_in_time, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(ten_thousand_streams_are_merged, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_caller_can_stop_and_start_again, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_file_that_shrinks_under_the_reader_is_damage, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
