/*
 * The life of a trace: created once, finished once, and never freed, since threads may be inside it. Called by preload/
 * when CUDA starts and when the process ends.
 */
#include <string.h>
#include <sys/mman.h>

#include "tracer/internal.h"

// A word that reads 0 in forked children, and the pid to compare where the kernel can't do that.
static int make_life(struct mt_trace *trace) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *pages = mt_pages_map(page);
    if (pages == NULL) return -ENOMEM;
    if (madvise(pages, page, MADV_WIPEONFORK) != 0) trace->pid = getpid();
    trace->life = pages;
    return 0;
}

int mt_trace_create(const char *path, struct mt_trace **out) {
    struct mt_guard guard;
    int error = -ENOMEM;
    mt_guard_enter(&guard);
    struct mt_trace *trace = mt_pages_map(sizeof *trace);
    if (trace == NULL) goto leave;
    trace->names.limit = trace->frames.limit = trace->stacks.limit = MT_THINGS_MAX;
    error = make_life(trace);
    if (error != 0) goto free_trace;
    error = mt_file_create(&trace->file, path);
    if (error != 0) goto free_life;
    atomic_store_explicit(trace->life, MT_LIFE_OPEN, memory_order_release);
    *out = trace;
    goto leave;

free_life:
    mt_pages_unmap(trace->life, (size_t)sysconf(_SC_PAGESIZE));
free_trace:
    mt_pages_unmap(trace, sizeof *trace);
leave:
    mt_guard_leave(&guard);
    return error;
}

const char *mt_trace_path(const struct mt_trace *trace) {
    return trace->file.path;
}

// The payload end of every chunk sealed here is known exactly; the file must not end before the last one.
static uint64_t end_of(const struct mt_file *file, uint32_t index, uint32_t used) {
    return file->header_bytes + (uint64_t)index * MT_CHUNK_BYTES + sizeof(struct mt_chunk_header) + used;
}

// The last chunk may be trimmed to what it holds; one that its owner is just sealing keeps its whole length.
static uint64_t seal_all(struct mt_trace *trace) {
    struct mt_file *file = &trace->file;
    uint32_t last = file->next_index - 1;
    uint32_t last_used = MT_PAYLOAD_BYTES;
    file->retry_at_ns = 0; // the last attempt is made now
    if (trace->chunk.header != NULL) {
        const struct mt_chunk_header *header = trace->chunk.header;
        if (header->index == last) last_used = header->used;
        int error = mt_chunk_seal(file, &trace->chunk);
        if (error != 0) mt_file_lose_definitions(file, header->records - trace->chunk.written_records, -error);
        trace->at = trace->limit = NULL;
    }
    for (struct mt_log *log = trace->logs; log != NULL; log = log->next) {
        if (log->chunk.header == NULL) continue;
        uint32_t index = log->chunk.header->index;
        log->frozen = true;
        log->frozen_bytes = mt_chunk_freeze(file, &log->chunk);
        if (index == last) last_used = log->frozen_bytes;
    }
    return file->next_index == 0 ? file->header_bytes : end_of(file, last, last_used);
}

static void finish(struct mt_trace *trace, bool discard) {
    struct mt_guard guard;
    uint32_t open = MT_LIFE_OPEN;
    if (mt_trace_life(trace) != MT_LIFE_OPEN) return;
    if (!atomic_compare_exchange_strong(trace->life, &open, MT_LIFE_FINISHED)) return;
    mt_guard_enter(&guard);
    mt_lock_take(&trace->lock);
    mt_lock_take(&trace->file.lock);
    if (discard) mt_file_unlink(&trace->file);
    mt_file_finish(&trace->file, seal_all(trace));
    mt_lock_drop(&trace->file.lock);
    mt_lock_drop(&trace->lock);
    mt_guard_leave(&guard);
}

void mt_trace_finish(struct mt_trace *trace) {
    finish(trace, false);
}

bool mt_trace_has_events(const struct mt_trace *trace) {
    return trace->file.has_events || mt_trace_loss(trace).events > 0;
}

void mt_trace_discard(struct mt_trace *trace) {
    finish(trace, true);
}

void mt_trace_forked(struct mt_trace *trace) {
    int error = errno;
    if (mt_trace_life(trace) == MT_LIFE_FORKED) mt_file_leave(&trace->file);
    errno = error;
}

void mt_trace_lose_event(struct mt_trace *trace, int error) {
    if (trace != NULL && mt_trace_life(trace) != MT_LIFE_FORKED) mt_file_lose_events(&trace->file, 1, error);
}

struct mt_loss mt_trace_loss(const struct mt_trace *trace) {
    struct mt_loss loss = {0};
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return loss;
    loss.events = __atomic_load_n(&trace->file.header->lost_events, __ATOMIC_RELAXED);
    loss.definitions = __atomic_load_n(&trace->file.header->lost_definitions, __ATOMIC_RELAXED);
    return loss;
}
