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
    return mt_trace_create_as(&(struct mt_trace_wish){.path = path}, out);
}

int mt_trace_create_as(const struct mt_trace_wish *wish, struct mt_trace **out) {
    struct mt_guard guard;
    int error = -ENOMEM;
    mt_guard_enter(&guard);
    struct mt_trace *trace = mt_pages_map(sizeof *trace);
    if (trace == NULL) goto leave;
    trace->names.limit = trace->frames.limit = trace->stacks.limit = MT_THINGS_MAX;
    error = make_life(trace);
    if (error != 0) goto free_trace;
    error = mt_file_create(&trace->file, wish);
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

// Instead, of a file that has been cut. How many events were stored.
static uint64_t abandon_all(struct mt_trace *trace) {
    uint64_t events = trace->file.recorded;
    mt_chunk_abandon(&trace->file, &trace->chunk);
    trace->at = trace->limit = NULL;
    for (struct mt_log *log = trace->logs; log != NULL; log = log->next) {
        if (log->chunk.header == NULL) continue;
        events += log->events;
        log->frozen = true;
        log->frozen_bytes = (uint32_t)(log->at - mt_payload(&log->chunk));
        mt_chunk_abandon(&trace->file, &log->chunk);
    }
    return events;
}

// Whoever changes the life word to FINISHED does what follows.
static bool end_life(struct mt_trace *trace) {
    uint32_t life = mt_trace_life(trace);
    while (life != MT_LIFE_FORKED && life != MT_LIFE_FINISHED)
        if (atomic_compare_exchange_weak(trace->life, &life, MT_LIFE_FINISHED)) return true;
    return false;
}

static void finish(struct mt_trace *trace, bool discard) {
    struct mt_guard guard;
    struct mt_file *file = &trace->file;
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return;
    mt_guard_enter(&guard);
    if (end_life(trace)) {
        mt_lock_take(&trace->lock);
        mt_lock_take(&file->lock);
        if (discard)
            mt_file_unlink(file);
        else if (mt_file_is_removed(file))
            mt_file_lose_events(file, 0, ENOENT);
        else
            mt_file_settle(file);
        if (mt_file_is_whole(file))
            mt_file_finish(file, seal_all(trace));
        else
            mt_file_finish_cut(file, abandon_all(trace));
        mt_lock_drop(&file->lock);
        mt_lock_drop(&trace->lock);
        if (file->cut) mt_file_lose_events(file, 0, ESTALE);
        mt_trace_tell_name(trace);
        mt_trace_tell_loss(trace);
    }
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
    const struct mt_file_header *header = &trace->file.header;
    loss.events = __atomic_load_n(&header->lost_events, __ATOMIC_RELAXED);
    loss.definitions = __atomic_load_n(&header->lost_definitions, __ATOMIC_RELAXED);
    loss.error = (int)__atomic_load_n(&header->lost_errno, __ATOMIC_RELAXED);
    loss.stopped = (enum mt_stopped)__atomic_load_n(&header->stopped, __ATOMIC_RELAXED);
    loss.max_bytes = header->max_bytes;
    if (trace->file.cut) loss.stopped = MT_STOPPED_CUT;
    return loss;
}

void mt_trace_on_loss(struct mt_trace *trace, mt_loss_listener *listener) {
    trace->listener = listener;
}

void mt_trace_on_name(struct mt_trace *trace, mt_name_listener *listener) {
    trace->name_listener = listener;
}

void mt_trace_tell_name(struct mt_trace *trace) {
    const struct mt_naming *naming = &trace->file.naming;
    mt_lock_take(&trace->file.lock);
    bool to_tell = naming->to_tell;
    trace->file.naming.to_tell = false;
    mt_lock_drop(&trace->file.lock);
    if (!to_tell || trace->name_listener == NULL) return;
    if (!naming->is_wanted || naming->pushed_down || naming->replaced_old) trace->name_listener(trace, naming);
}

// Threads that go on while the process exits lose events in every other program: only the report says so.
void mt_trace_tell_loss(struct mt_trace *trace) {
    struct mt_loss loss = mt_trace_loss(trace);
    if (trace->listener == NULL || loss.error == 0 || loss.error == ESHUTDOWN) return;
    // Before the first event the file does not have its name yet, and nothing that happened is missing.
    if (loss.events == 0 && mt_trace_life(trace) != MT_LIFE_FINISHED && !mt_file_is_settled(&trace->file)) return;
    if (!atomic_exchange(&trace->told, true)) trace->listener(trace, &loss);
}

void mt_trace_stop(struct mt_trace *trace, enum mt_life how) {
    struct mt_file *file = &trace->file;
    uint32_t open = MT_LIFE_OPEN, why = how == MT_LIFE_CUT ? MT_STOPPED_CUT : MT_STOPPED_LIMIT;
    if (!atomic_compare_exchange_strong(trace->life, &open, how)) return;
    if (how == MT_LIFE_CUT) file->cut = true;
    __atomic_store_n(&file->header.stopped, why, __ATOMIC_RELAXED);
    if (file->mapped != NULL && !file->cut) __atomic_store_n(&file->mapped->stopped, why, __ATOMIC_RELAXED);
}

void mt_trace_stop_after(struct mt_trace *trace, int error) {
    if (error == -ESTALE) mt_trace_stop(trace, MT_LIFE_CUT);
    if (error == -EOVERFLOW) mt_trace_stop(trace, MT_LIFE_FULL);
}
