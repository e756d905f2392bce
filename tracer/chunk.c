/*
 * Chunks of file.h: memory that is the file (MAPPED) or that is copied to it now and then (BUFFERED, where a file
 * system can't reserve blocks or has no mappings that are safe to store to: see create.c). Called from lane.c and
 * definitions.c when one is full, and at the end.
 */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/checksum.h"
#include "tracer/clock.h"
#include "tracer/file.h"
#include "tracer/memory.h"

enum {
    RESERVE_AHEAD = 16, // chunks; fewer while the trace is small
    SPARE = 4,          // chunks below the file's limit that no events take: what is said at the end has room
    PAUSE_NS_MIN = 10 * 1000,
    PAUSE_NS_MAX = 100 * 1000 * 1000,
};

static uint64_t chunk_offset(const struct mt_file *file, uint32_t index) {
    return file->header_bytes + (uint64_t)index * MT_CHUNK_BYTES;
}

// What the last attempt came to, while it is too early for another.
static int still_failing(const struct mt_file *file) {
    return file->retry_at_ns != 0 && mt_now_ns() < file->retry_at_ns ? file->retry_error : 0;
}

// A full disk stays full for a while. What else fails may go well at once, and seldom fails for long.
static uint64_t next_pause_ns(uint64_t pause_ns, int error) {
    if (error == -ENOSPC || error == -EDQUOT || error == -EFBIG) return PAUSE_NS_MAX;
    if (pause_ns < PAUSE_NS_MIN) return PAUSE_NS_MIN;
    return 2 * pause_ns < PAUSE_NS_MAX ? 2 * pause_ns : PAUSE_NS_MAX;
}

static int attempted(struct mt_file *file, int error) {
    file->pause_ns = error == 0 ? 0 : next_pause_ns(file->pause_ns, error);
    file->retry_at_ns = error == 0 ? 0 : mt_now_ns() + file->pause_ns;
    file->retry_error = error;
    return error;
}

static bool is_full(const struct mt_file *file, enum mt_chunk_kind kind) {
    uint64_t max = file->header.max_bytes, spare = SPARE * (uint64_t)MT_CHUNK_BYTES;
    if (max == 0) return false;
    if (kind != MT_CHUNK_EVENTS) spare = 0;
    if (spare > max / 2) spare = max / 2;
    return chunk_offset(file, file->next_index + 1) > max - spare;
}

static int reserve_next(struct mt_file *file) {
    if (file->next_index == UINT32_MAX) return -EFBIG;
    if (file->storage == MT_STORAGE_BUFFERED || file->next_index < file->reserved) return 0;
    uint32_t ahead = file->reserved < RESERVE_AHEAD ? file->reserved + 1 : RESERVE_AHEAD;
    uint64_t offset = chunk_offset(file, file->reserved), max = file->header.max_bytes;
    if (max != 0 && chunk_offset(file, file->reserved + ahead) > max) ahead = 1;
    int error = mt_file_reserve(file, offset, (uint64_t)ahead * MT_CHUNK_BYTES);
    if (error != 0 && ahead > 1) {
        ahead = 1;
        error = mt_file_reserve(file, offset, MT_CHUNK_BYTES);
    }
    if (error == 0) file->reserved += ahead;
    return error;
}

static struct mt_chunk_header *map_chunk(struct mt_file *file, uint32_t index) {
    if (file->storage == MT_STORAGE_BUFFERED) return mt_pages_map(MT_CHUNK_BYTES);
    return mt_view_map(file, chunk_offset(file, index), MT_CHUNK_BYTES);
}

static void unmap_chunk(struct mt_file *file, struct mt_chunk_header *chunk) {
    if (file->storage == MT_STORAGE_BUFFERED)
        mt_pages_unmap(chunk, MT_CHUNK_BYTES);
    else
        mt_view_unmap(chunk, MT_CHUNK_BYTES);
}

int mt_chunk_open(struct mt_file *file, struct mt_chunk *chunk, enum mt_chunk_kind kind, uint32_t lane,
                  uint64_t base_time_ns) {
    struct mt_chunk_header *header = NULL;
    bool takes_room = file->storage == MT_STORAGE_MAPPED;
    if (!mt_file_is_whole(file)) return -ESTALE;
    if (is_full(file, kind)) return -EOVERFLOW;
    int error = takes_room ? still_failing(file) : 0;
    if (error != 0) return error;
    error = reserve_next(file);
    if (error == 0) {
        errno = ENOMEM;
        header = map_chunk(file, file->next_index);
        if (header == NULL) error = -errno;
    }
    if (takes_room) attempted(file, error);
    if (error != 0) return error;
    if (kind == MT_CHUNK_EVENTS) file->has_events = true;
    header->kind = (uint16_t)kind;
    header->index = file->next_index++;
    header->lane = lane;
    header->base_time_ns = base_time_ns;
    __atomic_store_n(&header->magic, MT_CHUNK_MAGIC, __ATOMIC_RELEASE);
    *chunk = (struct mt_chunk){.header = header};
    return 0;
}

// What the owner publishes, read while it may go on publishing.
static struct mt_chunk_header snapshot(const struct mt_chunk_header *header) {
    return (struct mt_chunk_header){
        .magic = header->magic,
        .kind = header->kind,
        .index = header->index,
        .lane = header->lane,
        .used = __atomic_load_n(&header->used, __ATOMIC_ACQUIRE),
        .records = __atomic_load_n(&header->records, __ATOMIC_RELAXED),
        .base_time_ns = header->base_time_ns,
    };
}

// The payload first, then the header that vouches for it.
static int write_out(struct mt_file *file, struct mt_chunk *chunk, const struct mt_chunk_header *header) {
    uint64_t offset = chunk_offset(file, header->index);
    int error = mt_file_write(file, mt_payload(chunk) + chunk->written, header->used - chunk->written,
                              offset + sizeof *header + chunk->written);
    if (error == 0) error = mt_file_write(file, header, sizeof *header, offset);
    if (error != 0) return error;
    chunk->written = header->used;
    chunk->written_records = header->records;
    return 0;
}

static int seal_buffered(struct mt_file *file, struct mt_chunk *chunk, struct mt_chunk_header *header) {
    *header = snapshot(chunk->header);
    header->checksum = mt_chunk_checksum(header, mt_payload(chunk));
    header->sealed = 1;
    return write_out(file, chunk, header);
}

static void seal_mapped(struct mt_chunk_header *header) {
    header->checksum = mt_chunk_checksum(header, header + 1);
    __atomic_store_n(&header->sealed, 1, __ATOMIC_RELEASE);
}

int mt_chunk_seal(struct mt_file *file, struct mt_chunk *chunk) {
    if (chunk->header == NULL) return 0;
    if (file->storage == MT_STORAGE_BUFFERED) {
        struct mt_chunk_header header;
        int error = still_failing(file);
        if (error == 0) error = attempted(file, seal_buffered(file, chunk, &header));
        if (error != 0) return error;
    } else {
        seal_mapped(chunk->header);
    }
    unmap_chunk(file, chunk->header);
    *chunk = (struct mt_chunk){0};
    return 0;
}

void mt_chunk_flush(struct mt_file *file, struct mt_chunk *chunk) {
    if (chunk->header == NULL || file->storage != MT_STORAGE_BUFFERED || still_failing(file) != 0) return;
    struct mt_chunk_header header = snapshot(chunk->header);
    if (header.used != chunk->written) attempted(file, write_out(file, chunk, &header));
}

/*
 * The owner may be in the middle of a record. Its view of the chunk is replaced, in one step, by memory that is no
 * file: a record it published before is in the file, one it publishes later is not, and the trimming of the file can't
 * pull the pages from under it.
 */
uint32_t mt_chunk_freeze(struct mt_file *file, struct mt_chunk *chunk) {
    if (file->storage == MT_STORAGE_BUFFERED) {
        struct mt_chunk_header header;
        int error = seal_buffered(file, chunk, &header);
        if (error != 0) mt_file_lose_events(file, header.records - chunk->written_records, -error);
        return header.used;
    }
    struct mt_chunk_header *view = mt_view_again(file, chunk->header, MT_CHUNK_BYTES);
    if (view == NULL) view = map_chunk(file, chunk->header->index);
    if (view == NULL) return MT_PAYLOAD_BYTES;
    if (mt_view_detach(chunk->header, MT_CHUNK_BYTES) != 0) {
        unmap_chunk(file, view);
        return MT_PAYLOAD_BYTES;
    }
    seal_mapped(view);
    uint32_t used = view->used;
    unmap_chunk(file, view);
    return used;
}

void mt_chunk_abandon(struct mt_file *file, struct mt_chunk *chunk) {
    if (file->storage == MT_STORAGE_MAPPED && chunk->header != NULL) mt_view_detach(chunk->header, MT_CHUNK_BYTES);
}

// The first reason stays; but what storing met says more than that signal handlers came in (EINTR).
static void note_reason(struct mt_file_header *header, int error) {
    uint64_t known = 0;
    if (error == EAGAIN) return;
    if (__atomic_compare_exchange_n(&header->lost_errno, &known, (uint64_t)error, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
        return;
    if (known == EINTR && error != ESHUTDOWN)
        __atomic_compare_exchange_n(&header->lost_errno, &known, (uint64_t)error, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
}

static void count_loss(struct mt_file_header *header, uint64_t events, uint64_t definitions, int error) {
    __atomic_fetch_add(&header->lost_events, events, __ATOMIC_RELAXED);
    __atomic_fetch_add(&header->lost_definitions, definitions, __ATOMIC_RELAXED);
    note_reason(header, error);
}

// What is mapped may have become part of another's file.
static void lose(struct mt_file *file, uint64_t events, uint64_t definitions, int error) {
    count_loss(&file->header, events, definitions, error);
    if (file->mapped != NULL && !file->cut) count_loss(file->mapped, events, definitions, error);
}

void mt_file_lose_events(struct mt_file *file, uint64_t events, int error) {
    lose(file, events, 0, error);
}

void mt_file_lose_definitions(struct mt_file *file, uint64_t definitions, int error) {
    lose(file, 0, definitions, error);
}

// Losses are counted without the lock.
void mt_file_flush_header(struct mt_file *file) {
    const struct mt_file_header *header = &file->header;
    struct mt_file_header now = {
        .file_bytes = header->file_bytes, .max_bytes = header->max_bytes, .stopped = header->stopped};
    if (file->storage != MT_STORAGE_BUFFERED) return;
    memcpy(&now, header, offsetof(struct mt_file_header, lost_events));
    now.lost_events = __atomic_load_n(&header->lost_events, __ATOMIC_RELAXED);
    now.lost_definitions = __atomic_load_n(&header->lost_definitions, __ATOMIC_RELAXED);
    now.lost_errno = __atomic_load_n(&header->lost_errno, __ATOMIC_RELAXED);
    mt_file_write(file, &now, sizeof now, 0);
}

// The mapping of the header holds on to the description that was locked, even where the program has closed the
// descriptor. Mapped through `fd` instead, the lock goes with whichever of the two had it.
static void let_go(struct mt_file *file, int fd) {
    if (file->storage == MT_STORAGE_MAPPED) mt_view_remap(file->mapped, file->header_bytes, fd);
    flock(fd, LOCK_UN);
    close(fd);
}

void mt_file_unlink(const struct mt_file *file) {
    if (mt_file_has_name(file)) unlink(file->path);
}

// What the system has taken may still fail on its way to a server. Closing a descriptor waits for that and tells, as
// does the program's end, on file systems that have one; on others it costs nothing.
static void await_server(struct mt_file *file, int fd) {
    int second = fcntl(fd, F_DUPFD_CLOEXEC, fd);
    if (second >= 0 && close(second) != 0) mt_file_lose_events(file, 0, errno);
}

// Only ever shortens: a file cannot grow past RLIMIT_FSIZE without a signal. 0: its length is not known.
static uint64_t trim(int fd, uint64_t bytes) {
    struct stat status;
    if (fstat(fd, &status) != 0) return 0;
    if ((uint64_t)status.st_size <= bytes) return (uint64_t)status.st_size;
    return ftruncate(fd, (off_t)bytes) == 0 ? bytes : 0;
}

void mt_file_finish(struct mt_file *file, uint64_t bytes) {
    int fd = mt_file_descriptor(file);
    file->header.file_bytes = fd >= 0 ? trim(fd, bytes) : 0;
    file->header.end_monotonic_ns = mt_now_ns();
    file->header.state = MT_STATE_FINISHED;
    if (fd >= 0 && file->storage == MT_STORAGE_BUFFERED) await_server(file, fd);
    mt_file_flush_header(file);
    if (file->mapped != NULL) {
        file->mapped->file_bytes = file->header.file_bytes;
        file->mapped->end_monotonic_ns = file->header.end_monotonic_ns;
        __atomic_store_n(&file->mapped->state, MT_STATE_FINISHED, __ATOMIC_RELEASE);
    }
    if (fd >= 0) let_go(file, fd);
    file->fd = -1;
}
