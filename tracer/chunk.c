/*
 * Chunks of file.h: memory that is the file (MAPPED) or that is copied to it now and then (BUFFERED, where a file
 * system can't reserve blocks or has no mappings that are safe to store to: see create.c). Called from stream.c and
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
    RETRY_NS = 100 * 1000 * 1000,
};

static uint64_t chunk_offset(const struct mt_file *file, uint32_t index) {
    return file->header_bytes + (uint64_t)index * MT_CHUNK_BYTES;
}

// What the last attempt came to, while it is too early for another.
static int still_failing(const struct mt_file *file) {
    return file->retry_at_ns != 0 && mt_now_ns() < file->retry_at_ns ? file->retry_error : 0;
}

static int attempted(struct mt_file *file, int error) {
    file->retry_at_ns = error == 0 ? 0 : mt_now_ns() + RETRY_NS;
    file->retry_error = error;
    return error;
}

static int reserve_next(struct mt_file *file) {
    if (file->next_index == UINT32_MAX) return -EFBIG;
    if (file->storage == MT_STORAGE_BUFFERED || file->next_index < file->reserved) return 0;
    uint32_t ahead = file->reserved < RESERVE_AHEAD ? file->reserved + 1 : RESERVE_AHEAD;
    uint64_t offset = chunk_offset(file, file->reserved);
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
    int fd = mt_file_descriptor(file);
    if (fd < 0) return NULL;
    void *pages = mmap(NULL, MT_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)chunk_offset(file, index));
    if (pages == MAP_FAILED) return NULL;
    madvise(pages, MT_CHUNK_BYTES, MADV_DONTFORK);
    return pages;
}

int mt_chunk_open(struct mt_file *file, struct mt_chunk *chunk, enum mt_chunk_kind kind, uint32_t stream,
                  uint64_t base_time_ns) {
    struct mt_chunk_header *header = NULL;
    bool takes_room = file->storage == MT_STORAGE_MAPPED;
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
    header->stream = stream;
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
        .stream = header->stream,
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
    mt_pages_unmap(chunk->header, MT_CHUNK_BYTES);
    *chunk = (struct mt_chunk){0};
    return 0;
}

void mt_chunk_flush(struct mt_file *file, struct mt_chunk *chunk) {
    if (chunk->header == NULL || file->storage != MT_STORAGE_BUFFERED || still_failing(file) != 0) return;
    struct mt_chunk_header header = snapshot(chunk->header);
    if (header.used != chunk->written) attempted(file, write_out(file, chunk, &header));
}

// Puts another mapping in the place of one that other threads may be storing to, in one step. Not through libc, where a
// race detector would take it for a store of ours.
static int replace(void *pages, size_t bytes, int flags, int fd) {
    return syscall(SYS_mmap, pages, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0) == -1 ? -errno : 0;
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
    // An old size of 0 asks for a second view of a shared mapping; it needs no descriptor.
    struct mt_chunk_header *view = mremap(chunk->header, 0, MT_CHUNK_BYTES, MREMAP_MAYMOVE);
    if (view == MAP_FAILED) view = map_chunk(file, chunk->header->index);
    if (view == NULL) return MT_PAYLOAD_BYTES;
    if (replace(chunk->header, MT_CHUNK_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1) != 0) {
        mt_pages_unmap(view, MT_CHUNK_BYTES);
        return MT_PAYLOAD_BYTES;
    }
    seal_mapped(view);
    uint32_t used = view->used;
    mt_pages_unmap(view, MT_CHUNK_BYTES);
    return used;
}

void mt_file_lose_events(struct mt_file *file, uint64_t events, int error) {
    uint64_t none = 0;
    __atomic_fetch_add(&file->header->lost_events, events, __ATOMIC_RELAXED);
    if (error != EAGAIN)
        __atomic_compare_exchange_n(&file->header->lost_errno, &none, (uint64_t)error, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
}

void mt_file_lose_definitions(struct mt_file *file, uint64_t definitions, int error) {
    mt_file_lose_events(file, 0, error);
    __atomic_fetch_add(&file->header->lost_definitions, definitions, __ATOMIC_RELAXED);
}

// Losses are counted without the lock.
void mt_file_flush_header(struct mt_file *file) {
    const struct mt_file_header *header = file->header;
    struct mt_file_header now = {.file_bytes = header->file_bytes};
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
    if (file->storage == MT_STORAGE_MAPPED && replace(file->header, file->header_bytes, MAP_SHARED, fd) == 0)
        madvise(file->header, file->header_bytes, MADV_DONTFORK);
    flock(fd, LOCK_UN);
    close(fd);
}

void mt_file_unlink(const struct mt_file *file) {
    struct stat named;
    if (stat(file->path, &named) == 0 && named.st_dev == file->device && named.st_ino == file->inode)
        unlink(file->path);
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
    file->header->file_bytes = fd >= 0 ? trim(fd, bytes) : 0;
    if (fd >= 0 && file->storage == MT_STORAGE_BUFFERED) await_server(file, fd);
    file->header->end_monotonic_ns = mt_now_ns();
    __atomic_store_n(&file->header->state, MT_STATE_FINISHED, __ATOMIC_RELEASE);
    mt_file_flush_header(file);
    if (fd >= 0) let_go(file, fd);
    file->fd = -1;
}
