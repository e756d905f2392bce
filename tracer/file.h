/*
 * The file under a trace: its name, its descriptor, the header page and the chunks, and everything that can go wrong
 * with disks. Hands out chunks as memory in which storing a record is publishing it. Knows nothing of records.
 *
 * Callers have put on a guard (guard.h) and, where it says so, hold `lock`.
 */
#ifndef MEMTRACE_TRACER_FILE_H
#define MEMTRACE_TRACER_FILE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "tracer/format.h"
#include "tracer/guard.h"
#include "tracer/lock.h"
#include "tracer/trace.h"

struct mt_file {
    struct mt_lock lock;
    struct mt_file_header header;  // as it should stand in the file; losses are counted without the lock
    struct mt_file_header *mapped; // MAPPED: the file's own
    enum mt_storage storage;       // set at creation
    uint32_t header_bytes;         // a whole page of this machine
    int fd;                        // may have been closed or replaced by the program: see mt_file_descriptor
    dev_t device;
    ino_t inode;
    atomic_bool cut;          // somebody else cut or overwrote the file: nothing is written to it any more
    uint64_t extent;          // bytes that we gave the file; a shorter one has been cut; under lock
    uint64_t recorded;        // events in chunks that are full; under lock
    uint32_t next_index;      // chunks handed out; under lock
    uint32_t reserved;        // MAPPED: chunks that have blocks on the disk; under lock
    bool has_events;          // a chunk for events was handed out; under lock
    uint64_t retry_at_ns;     // after a failure: no new attempt before; under lock
    uint64_t pause_ns;        // after which that is; under lock
    int retry_error;          // of that failure, -errno; under lock
    uint64_t since_ns;        // of the wish
    bool settled;             // the name is what it will be; under lock
    struct mt_naming naming;  // under lock
    char path[MT_NAME_BYTES]; // absolute
};

// An open chunk. With BUFFERED storage it remembers what the file has got already.
struct mt_chunk {
    struct mt_chunk_header *header; // NULL: none is open
    uint32_t written;               // payload bytes
    uint32_t written_records;
};

#define MT_PAYLOAD_BYTES (MT_CHUNK_BYTES - (uint32_t)sizeof(struct mt_chunk_header))

static inline uint8_t *mt_payload(const struct mt_chunk *chunk) {
    return (uint8_t *)(chunk->header + 1);
}

// create.c: finds a name (see mt_trace_create_as), makes the file ours by flock and lays down the header. 0 or -errno.
int mt_file_create(struct mt_file *file, const struct mt_trace_wish *wish);

// names.c. The path from the root on. 0 or -errno.
int mt_make_absolute(const char *path, char out[PATH_MAX]);
// Creates a file that bears the process's number, unless the wanted name can't be a trace's. 0 or -errno.
int mt_file_create_name(struct mt_file *file);
// Takes the wanted name if it can be had: once, for a file in which something happened. Under lock.
void mt_file_settle(struct mt_file *file);
// Takes the lock.
bool mt_file_is_settled(struct mt_file *file);
// Whether the file is known to have no name any more.
bool mt_file_is_removed(struct mt_file *file);
// Whether the file still has its name.
bool mt_file_has_name(const struct mt_file *file);
// A descriptor of the file, by the names that it may have. -EBADF when it has none of them.
int mt_file_reopen(struct mt_file *file);

// reserve.c: gives the bytes blocks on the disk, so that storing to them can't fail any more. 0 or -errno: there is no
// room, or the file system can't do it.
int mt_file_reserve(struct mt_file *file, uint64_t offset, uint64_t bytes);
// The descriptor if it still is our file, else one opened afresh, or -EBADF.
int mt_file_descriptor(struct mt_file *file);
// In a forked child: lets go of the descriptor, which keeps the file locked when the parent has died.
void mt_file_leave(struct mt_file *file);
// Whether it is the file, open for what we do.
bool mt_descriptor_is(const struct mt_file *file, int fd);
// Moves a descriptor out of the range in which programs expect their own to appear.
int mt_descriptor_settle(int fd);
// Writes all of it, whatever interrupts. 0 or -errno. Never past RLIMIT_FSIZE. -ESTALE once the file has been cut.
int mt_file_write(struct mt_file *file, const void *data, size_t bytes, uint64_t offset);
// 0, or -EFBIG where growing the file to so many bytes would raise SIGXFSZ.
int mt_file_check_limit(uint64_t end);
// Whether a header that was read belongs to this file.
bool mt_file_header_is_ours(const struct mt_file *file, const struct mt_file_header *header);
// Whether the file still is as long as we made it and begins with our header. Once it isn't, never again: `cut`.
bool mt_file_is_whole(struct mt_file *file);

// view.c: maps a part of the file to store to, and unmaps it. NULL and errno when it can't be.
void *mt_view_map(struct mt_file *file, uint64_t offset, size_t bytes);
// A second view of the same pages; it needs no descriptor.
void *mt_view_again(struct mt_file *file, void *view, size_t bytes);
void mt_view_unmap(void *view, size_t bytes);
// Puts memory that is no file in the place of a view, in one step, while other threads may be storing to it. 0 or
// -errno.
int mt_view_detach(void *view, size_t bytes);
// The same view of the file's beginning, by another descriptor.
void mt_view_remap(void *view, size_t bytes, int fd);

// Both give 0, or -errno: -ESTALE when the file has been cut, -EOVERFLOW at its max_bytes, else when there is no room.
// Attempts are spaced; until the next, the last one's error stands. Under lock.
int mt_chunk_open(struct mt_file *file, struct mt_chunk *chunk, enum mt_chunk_kind kind, uint32_t lane,
                  uint64_t base_time_ns);
// Completes the chunk and lets go of it. BUFFERED: one that can't be written is kept as it is. MAPPED: never fails, and
// needs no lock.
int mt_chunk_seal(struct mt_file *file, struct mt_chunk *chunk);
// BUFFERED: brings the file up to date with a chunk that another thread may be appending to; what fails is left to the
// next attempt. Under lock.
void mt_chunk_flush(struct mt_file *file, struct mt_chunk *chunk);
// Seals a chunk of events that another thread may be appending to: from now on its stores go nowhere. Returns the
// payload bytes that count as its own; those of them that can't be written are counted as lost. Under lock.
uint32_t mt_chunk_freeze(struct mt_file *file, struct mt_chunk *chunk);

// Of a file that has been cut: its owner's stores go nowhere from now on. Under lock.
void mt_chunk_abandon(struct mt_file *file, struct mt_chunk *chunk);

// Counts what could not be stored, and why.
void mt_file_lose_events(struct mt_file *file, uint64_t events, int error);
void mt_file_lose_definitions(struct mt_file *file, uint64_t definitions, int error);
// BUFFERED: writes the header out.
void mt_file_flush_header(struct mt_file *file);
// Removes the name, if it still is this file's.
void mt_file_unlink(const struct mt_file *file);
// Trims the file to `bytes`, marks it finished, closes it. Under lock; nothing may be mapped behind `bytes`.
void mt_file_finish(struct mt_file *file, uint64_t bytes);
// cut.c: the same for a file that has been cut, of which `recorded` events were stored. What is left of it says so;
// what has become another's file stays as it is.
void mt_file_finish_cut(struct mt_file *file, uint64_t recorded);

#endif
