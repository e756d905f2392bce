/*
 * Opening a trace and reading its chunks: everything about a file that may be foreign, newer, cut, flipped or still
 * being written is decided here. See reader.h for the contract.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/checksum.h"
#include "tracer/codec.h"
#include "tracer/reader_internal.h"

enum { HEADER_BYTES_MAX = 1 << 20, CHUNK_BYTES_MIN = 4096, CHUNK_BYTES_MAX = 16 << 20 };

// Bytes read, fewer only at the end of the file or on an error (which reads as the end).
static size_t read_at(int fd, void *data, size_t bytes, uint64_t offset) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(fd, (char *)data + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    return done;
}

static uint64_t payload_offset(const struct mt_reader *reader, uint32_t index) {
    return reader->header.header_bytes + (uint64_t)index * reader->header.chunk_bytes + sizeof(struct mt_chunk_header);
}

static void count_damage(struct mt_reader *reader, uint64_t offset, uint64_t bytes) {
    if (reader->damage.chunks == 0 || offset < reader->damage.first_offset) reader->damage.first_offset = offset;
    reader->damage.chunks++;
    reader->damage.bytes += bytes;
}

void mt_reader_damaged(struct mt_reader *reader, struct mt_chunk_note *note, uint32_t offset, uint64_t bytes) {
    if (note->damaged) return;
    note->damaged = true;
    count_damage(reader, payload_offset(reader, note->header.index) + offset, bytes);
}

static enum mt_open_status check_header(struct mt_reader *reader, size_t bytes, uint32_t *version) {
    struct mt_file_header *header = &reader->header;
    size_t magic = bytes < sizeof header->magic ? bytes : sizeof header->magic;
    if (bytes == 0) return MT_OPEN_EMPTY;
    if (memcmp(header->magic, MT_MAGIC, magic) != 0) return MT_OPEN_FOREIGN;
    if (bytes < offsetof(struct mt_file_header, header_bytes)) return MT_OPEN_TRUNCATED;
    *version = header->version;
    if (header->version > MT_VERSION || (header->features & ~MT_FEATURES_KNOWN) != 0) return MT_OPEN_NEWER;
    if (bytes < sizeof *header) return MT_OPEN_TRUNCATED;
    if (header->version == 0 || header->header_bytes < sizeof *header || header->header_bytes > HEADER_BYTES_MAX ||
        header->chunk_bytes < CHUNK_BYTES_MIN || header->chunk_bytes > CHUNK_BYTES_MAX ||
        (header->state != MT_STATE_WRITING && header->state != MT_STATE_FINISHED))
        return MT_OPEN_CORRUPT;
    return reader->file_bytes < header->header_bytes ? MT_OPEN_TRUNCATED : MT_OPEN_OK;
}

static bool add_note(struct mt_chunk_note **notes, size_t *count, size_t *room, const struct mt_chunk_header *header) {
    if (*count == *room) {
        size_t more = *room == 0 ? 64 : 2 * *room;
        struct mt_chunk_note *grown = reallocarray(*notes, more, sizeof *grown);
        if (grown == NULL) return false;
        *notes = grown;
        *room = more;
    }
    (*notes)[(*count)++] = (struct mt_chunk_note){.header = *header};
    return true;
}

static bool is_zero(const void *data, size_t bytes) {
    const char *at = data;
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != 0) return false;
    return true;
}

enum sort { NOTHING, SOUND, BROKEN };

// What stands at a chunk's place, of whose header `bytes` were there.
static enum sort judge(const struct mt_reader *reader, const struct mt_chunk_header *header, size_t bytes,
                       uint32_t index) {
    if (bytes < sizeof *header) return is_zero(header, bytes) ? NOTHING : BROKEN;
    // Reserved; perhaps its writer was killed while it filled the header in, but no record was published.
    if (header->magic == 0 && header->used == 0) return NOTHING;
    if (header->magic != MT_CHUNK_MAGIC || header->index != index ||
        header->used > reader->header.chunk_bytes - sizeof *header || header->sealed > 1 ||
        (header->kind != MT_CHUNK_DEFINITIONS && header->kind != MT_CHUNK_EVENTS))
        return BROKEN;
    return SOUND;
}

// Notes all chunks of one kind; the broken ones are counted with the events.
static bool scan(struct mt_reader *reader, enum mt_chunk_kind kind) {
    for (uint32_t index = 0;; index++) {
        struct mt_chunk_header header = {0};
        uint64_t offset = payload_offset(reader, index);
        size_t bytes = read_at(reader->fd, &header, sizeof header, offset - sizeof header);
        if (bytes == 0) return true;
        enum sort sort = judge(reader, &header, bytes, index);
        if (sort == BROKEN && kind == MT_CHUNK_EVENTS) {
            uint64_t left = reader->file_bytes > offset ? reader->file_bytes - offset : 0;
            uint64_t most = reader->header.chunk_bytes - sizeof header;
            count_damage(reader, offset - sizeof header, left < most ? left : most);
        }
        if (sort != SOUND || header.kind != kind) continue;
        bool added =
            kind == MT_CHUNK_EVENTS
                ? add_note(&reader->events, &reader->event_chunks, &reader->event_room, &header)
                : add_note(&reader->definitions, &reader->definition_chunks, &reader->definition_room, &header);
        if (!added) return false;
        if (kind == MT_CHUNK_EVENTS) reader->event_bytes += header.used;
    }
}

static int by_lane(const void *left, const void *right) {
    const struct mt_chunk_header *a = &((const struct mt_chunk_note *)left)->header;
    const struct mt_chunk_header *b = &((const struct mt_chunk_note *)right)->header;
    if (a->lane != b->lane) return a->lane < b->lane ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_events(struct mt_reader *reader) {
    if (reader->event_chunks > 1) qsort(reader->events, reader->event_chunks, sizeof *reader->events, by_lane);
    for (size_t i = reader->event_chunks; i-- > 0;) {
        struct mt_chunk_note *note = &reader->events[i];
        note->due_ns = note->header.base_time_ns;
        if (i + 1 < reader->event_chunks && note[1].header.lane == note->header.lane && note[1].due_ns < note->due_ns)
            note->due_ns = note[1].due_ns;
    }
}

static enum mt_open_status open_file(struct mt_reader *reader, const char *path, uint32_t *version) {
    struct stat status;
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (reader->fd < 0 || fstat(reader->fd, &status) != 0) return MT_OPEN_SYSTEM;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return MT_OPEN_SYSTEM;
    }
    if (!S_ISREG(status.st_mode)) return MT_OPEN_FOREIGN;
    reader->file_bytes = (uint64_t)status.st_size;
    size_t bytes = read_at(reader->fd, &reader->header, sizeof reader->header, 0);
    if (bytes == 0 && status.st_size > 0) return MT_OPEN_SYSTEM;
    enum mt_open_status result = check_header(reader, bytes, version);
    if (result != MT_OPEN_OK) return result;
    if (!scan(reader, MT_CHUNK_EVENTS) || !scan(reader, MT_CHUNK_DEFINITIONS)) return MT_OPEN_SYSTEM;
    sort_events(reader);
    reader->texts = calloc(reader->definition_chunks + 1, sizeof *reader->texts);
    return reader->texts == NULL ? MT_OPEN_SYSTEM : MT_OPEN_OK;
}

enum mt_open_status mt_reader_open(const char *path, struct mt_reader **out, uint32_t *version) {
    struct mt_reader *reader = calloc(1, sizeof *reader);
    *version = 0;
    if (reader == NULL) return MT_OPEN_SYSTEM;
    reader->fd = -1;
    enum mt_open_status status = open_file(reader, path, version);
    if (status != MT_OPEN_OK) {
        int error = errno;
        mt_reader_close(reader);
        errno = error;
        return status;
    }
    // What a finished file has lost off its end is one damage more, behind all others.
    if (reader->header.file_bytes > reader->file_bytes)
        count_damage(reader, reader->file_bytes, reader->header.file_bytes - reader->file_bytes);
    *out = reader;
    return MT_OPEN_OK;
}

void mt_reader_close(struct mt_reader *reader) {
    if (reader == NULL) return;
    for (size_t i = 0; reader->texts != NULL && i < reader->definition_chunks; i++) free(reader->texts[i]);
    free(reader->texts);
    free(reader->events);
    free(reader->definitions);
    if (reader->fd >= 0) close(reader->fd);
    free(reader);
}

// The checksum covers what the chunk held when it was sealed, which on a live file may be more than opening saw.
static bool is_intact(struct mt_reader *reader, const struct mt_chunk_note *note, uint8_t *payload) {
    uint64_t offset = payload_offset(reader, note->header.index);
    struct mt_chunk_header now;
    if (note->header.sealed) return mt_chunk_checksum(&note->header, payload) == note->header.checksum;
    if (reader->header.state == MT_STATE_FINISHED) return true;
    if (read_at(reader->fd, &now, sizeof now, offset - sizeof now) != sizeof now) return true;
    return now.magic == note->header.magic && now.used >= note->header.used && now.lane == note->header.lane;
}

uint32_t mt_reader_load(struct mt_reader *reader, struct mt_chunk_note *note, uint8_t *payload) {
    uint32_t used = note->header.used;
    size_t bytes = read_at(reader->fd, payload, used, payload_offset(reader, note->header.index));
    if (bytes < used) {
        // Cut: no checksum can tell, but what is there decodes up to the first record that isn't whole.
        mt_reader_damaged(reader, note, (uint32_t)bytes, used - bytes);
        return (uint32_t)bytes;
    }
    if (is_intact(reader, note, payload)) return used;
    mt_reader_damaged(reader, note, 0, used);
    return 0;
}

const uint8_t *mt_reader_fields(const uint8_t *at, const uint8_t *end, const uint8_t **fields_end) {
    uint64_t bytes;
    at = mt_get_varint(at, end, &bytes);
    if (at == NULL || bytes > (uint64_t)(end - at)) return NULL;
    *fields_end = at + bytes;
    return at;
}

const struct mt_file_header *mt_reader_header(const struct mt_reader *reader) {
    return &reader->header;
}

struct mt_damage mt_reader_damage(const struct mt_reader *reader) {
    return reader->damage;
}

uint64_t mt_reader_file_bytes(const struct mt_reader *reader) {
    return reader->file_bytes;
}

uint64_t mt_reader_event_bytes(const struct mt_reader *reader) {
    return reader->event_bytes;
}

uint64_t mt_reader_event_count(const struct mt_reader *reader) {
    return reader->event_count;
}
