/*
 * A small real trace, cut at every byte and with every bit flipped: the reader never crashes, gives what is sound, and
 * says that something is not.
 */
#include "tests/unit/trace_files.h"

#include <fcntl.h>
#include <unistd.h>

enum { HEADER = 4096, CHUNK = 65536, EVENTS = 40 };

// Two streams of EVENTS events each, and definitions of several kinds.
static void write_small_trace(const char *path) {
    static const uint8_t uuid[16] = {1, 2, 3};
    struct mt_trace *trace = trace_make(path);
    const struct mt_frame frames[] = {{.address = 0x20}, {.address = UINT64_C(1) << 32 | 6, .line = 3, .python = true}};
    mt_define_api(trace, "cuMemAlloc_v2", MT_EFFECT_ALLOCATED, MT_MEMORY_DEVICE);
    mt_define_device(trace, 0, 1 << 30, "device", uuid);
    mt_define_code(trace, 1, "train", "train.py", 1);
    mt_define_launch(trace, &(struct mt_launch_shape){1, {1, 1, 1}, {256, 1, 1}, 0});
    uint32_t stack = mt_define_stack(trace, frames, 2);
    struct mt_lane *streams[] = {mt_lane_acquire(trace, 1), mt_lane_acquire(trace, 2)};
    for (uint64_t i = 0; i < EVENTS; i++) {
        const struct mt_event event = {.time_ns = 1000 + 10 * i, .api = 1, .stack = stack, .context = 1};
        for (int s = 0; s < 2; s++) {
            if (i % 4 == 0)
                mt_write_event(streams[s], MT_EFFECT_FAILED, &event, &(struct mt_tagged){MT_TAG_BYTES, i}, 1);
            else if (i % 4 == 1)
                mt_write_launch(streams[s], &event, 1);
            else
                mt_write_alloc(streams[s], &event, 0x7f0000000000 + 512 * i, i);
        }
    }
    mt_trace_finish(trace);
}

// The bytes of the file that mean something: all but the room that chunks were given and did not use.
struct extent {
    off_t start, end;
};

static int meaningful(const struct bytes *file, struct extent extents[8]) {
    int count = 0;
    extents[count++] = (struct extent){0, sizeof(struct mt_file_header)};
    for (size_t offset = HEADER; offset < file->count; offset += CHUNK) {
        struct mt_chunk_header header;
        memcpy(&header, file->data + offset, sizeof header);
        extents[count++] = (struct extent){(off_t)offset, (off_t)(offset + sizeof header + header.used)};
        assert_true(count < 8);
    }
    return count;
}

// The state of the header, as a killed writer leaves it.
static void mark_unfinished(const char *path) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    uint32_t state = MT_STATE_WRITING;
    uint64_t file_bytes = 0;
    assert_int_equal(pwrite(fd, &state, 4, (off_t)offsetof(struct mt_file_header, state)), 4);
    assert_int_equal(pwrite(fd, &file_bytes, 8, (off_t)offsetof(struct mt_file_header, file_bytes)), 8);
    close(fd);
}

struct seen {
    size_t events, definitions;
};

static struct seen check_cut(const char *path, off_t size, bool finished, off_t whole_size) {
    struct whole whole = whole_read(path);
    struct seen seen = {whole.event_count, whole.definition_count};
    if (size == 0) {
        assert_int_equal(whole.status, MT_OPEN_EMPTY);
    } else if (size < HEADER) {
        assert_int_equal(whole.status, MT_OPEN_TRUNCATED);
    } else {
        assert_int_equal(whole.status, MT_OPEN_OK);
        if (finished) assert_int_equal(whole.damage.chunks > 0, size < whole_size);
    }
    for (size_t i = 1; i < whole.event_count; i++) assert_true(whole.events[i].time_ns >= whole.events[i - 1].time_ns);
    whole_free(&whole);
    return seen;
}

static void cut_everywhere(void **state, bool finished) {
    char *path = path_in(state, "trace.bin");
    write_small_trace(path);
    if (!finished) mark_unfinished(path);
    struct bytes file = bytes_read(path);
    struct extent extents[8];
    int count = meaningful(&file, extents);
    struct seen before = {2 * EVENTS, SIZE_MAX};

    // from the whole down to nothing, byte by byte where bytes mean something
    for (off_t size = (off_t)file.count, dense = 1; size >= 0; size -= dense ? 1 : 509) {
        assert_int_equal(truncate(path, size), 0);
        struct seen seen = check_cut(path, size, finished, (off_t)file.count);
        assert_true(seen.events <= before.events);
        assert_true(seen.definitions <= before.definitions);
        if (size == (off_t)file.count) assert_int_equal(seen.events, 2 * EVENTS);
        before = seen;
        dense = 0;
        for (int i = 0; i < count; i++) dense |= size >= extents[i].start - 1 && size - 509 <= extents[i].end;
    }
    free(file.data);
    free(path);
}

static void a_finished_trace_cut_anywhere_is_read_up_to_there(void **state) {
    cut_everywhere(state, true);
}

static void a_killed_trace_cut_anywhere_is_read_up_to_there(void **state) {
    cut_everywhere(state, false);
}

// A sealed chunk that was touched, or of which its header says something else now, is noticed and skipped whole; all
// others are there. Only its padding is free, and the seal itself, without which the rest is believed.
static void check_flip(const char *path, off_t offset) {
    struct whole whole = whole_read(path);
    if (offset >= HEADER) {
        size_t in_chunk = (size_t)((offset - HEADER) % CHUNK);
        bool padding =
            in_chunk >= offsetof(struct mt_chunk_header, padding) && in_chunk < sizeof(struct mt_chunk_header);
        bool seal = in_chunk / 2 == offsetof(struct mt_chunk_header, sealed) / 2;
        assert_int_equal(whole.status, MT_OPEN_OK);
        if (!seal) assert_int_equal(whole.damage.chunks, padding ? 0 : 1);
        assert_true(whole.event_count == EVENTS || whole.event_count == 2 * EVENTS);
        if (padding) assert_int_equal(whole.event_count, 2 * EVENTS);
    }
    whole_free(&whole);
}

static void every_flipped_bit_is_survived(void **state) {
    char *path = path_in(state, "trace.bin");
    write_small_trace(path);
    struct bytes file = bytes_read(path);
    struct extent extents[8];
    int count = meaningful(&file, extents);
    int fd = open(path, O_RDWR | O_CLOEXEC);

    for (int i = 0; i < count; i++)
        for (off_t offset = extents[i].start; offset < extents[i].end; offset++) {
            uint8_t flipped = file.data[offset] ^ (uint8_t)(1u << (offset % 8));
            assert_int_equal(pwrite(fd, &flipped, 1, offset), 1);
            check_flip(path, offset);
            assert_int_equal(pwrite(fd, &file.data[offset], 1, offset), 1);
        }
    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 2 * EVENTS);
    assert_int_equal(whole.damage.chunks, 0);
    whole_free(&whole);
    close(fd);
    free(file.data);
    free(path);
}

static void noise_in_open_chunks_is_survived(void **state) {
    // given chunks without a checksum, whose payload is noise
    char *path = path_in(state, "trace.bin");
    write_small_trace(path);
    mark_unfinished(path);
    struct bytes file = bytes_read(path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint64_t noise = 88172645463325252u;
    for (int round = 0; round < 2000; round++) {
        for (size_t offset = HEADER; offset < file.count; offset += CHUNK) {
            struct mt_chunk_header header;
            uint8_t payload[2048];
            memcpy(&header, file.data + offset, sizeof header);
            header.sealed = 0;
            memcpy(payload, file.data + offset + sizeof header, header.used);
            for (int i = 0; i < 1 + round % 16; i++) {
                noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;
                payload[(noise >> 8) % header.used] = (uint8_t)noise;
            }
            assert_int_equal(pwrite(fd, &header, sizeof header, (off_t)offset), sizeof header);
            assert_int_equal(pwrite(fd, payload, header.used, (off_t)(offset + sizeof header)), header.used);
        }
        struct whole whole = whole_read(path);
        assert_int_equal(whole.status, MT_OPEN_OK);
        for (size_t i = 1; i < whole.event_count; i++)
            assert_true(whole.events[i].time_ns >= whole.events[i - 1].time_ns);
        whole_free(&whole);
    }
    close(fd);
    free(file.data);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_finished_trace_cut_anywhere_is_read_up_to_there, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_killed_trace_cut_anywhere_is_read_up_to_there, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_flipped_bit_is_survived, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(noise_in_open_chunks_is_survived, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
