/*
 * The end of a trace that somebody cut or overwrote while it was written (file.h: `cut`). The file may be empty, a part
 * of the trace, or by now something quite different (`cp other trace.bin`), which must stay as it is. What is left
 * gets a header that says what is gone.
 */
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "tracer/clock.h"
#include "tracer/file.h"

// What the file begins with.
enum beginning { NOTHING, OURS, ANOTHERS };

static enum beginning look(const struct mt_file *file, int fd) {
    static const struct mt_file_header zero;
    struct mt_file_header found = {.magic = ""};
    ssize_t bytes = pread(fd, &found, sizeof found, 0);
    if (bytes < 0) return ANOTHERS;
    if (memcmp(&found, &zero, (size_t)bytes) == 0) return NOTHING;
    return mt_file_header_is_ours(file, &found) ? OURS : ANOTHERS;
}

// Events in the chunks that the file still has whole.
static uint64_t count_events(const struct mt_file *file, int fd, uint64_t file_bytes) {
    uint64_t events = 0;
    for (uint32_t i = 0; i < file->next_index; i++) {
        struct mt_chunk_header chunk;
        uint64_t offset = file->header_bytes + (uint64_t)i * MT_CHUNK_BYTES;
        if (offset + MT_CHUNK_BYTES > file_bytes) break;
        if (pread(fd, &chunk, sizeof chunk, (off_t)offset) != (ssize_t)sizeof chunk) break;
        if (chunk.magic == MT_CHUNK_MAGIC && chunk.index == i && chunk.kind == MT_CHUNK_EVENTS) events += chunk.records;
    }
    return events;
}

static void write_end(struct mt_file *file, int fd, uint64_t recorded) {
    struct mt_file_header *header = &file->header;
    struct stat status;
    enum beginning beginning = look(file, fd);
    if (fstat(fd, &status) != 0 || beginning == ANOTHERS) return;
    uint64_t left = beginning == OURS ? count_events(file, fd, (uint64_t)status.st_size) : 0;
    if (left < recorded) __atomic_fetch_add(&header->lost_events, recorded - left, __ATOMIC_RELAXED);
    header->stopped = MT_STOPPED_CUT;
    header->lost_errno = ESTALE;
    header->state = MT_STATE_FINISHED;
    header->end_monotonic_ns = mt_now_ns();
    header->file_bytes = (uint64_t)status.st_size < file->header_bytes ? file->header_bytes : (uint64_t)status.st_size;
    if (pwrite(fd, header, sizeof *header, 0) != (ssize_t)sizeof *header) return;
    if (header->file_bytes > (uint64_t)status.st_size && ftruncate(fd, (off_t)header->file_bytes) != 0) return;
}

void mt_file_finish_cut(struct mt_file *file, uint64_t recorded) {
    int fd = mt_file_descriptor(file);
    if (fd < 0) return;
    if (mt_file_check_limit(file->header_bytes) == 0) write_end(file, fd, recorded);
    flock(fd, LOCK_UN);
    close(fd);
    file->fd = -1;
}
