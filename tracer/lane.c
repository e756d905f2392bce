/*
 * Events: the hot path of the recorder. A record costs a few dozen nanoseconds and no lock; what needs the file (a full
 * chunk, a first event, a time that runs backwards) goes through make_room.
 *
 * The times of one log never decrease. An event that is older than its log's last one (it was stamped before a call in
 * which its thread recorded another, or before the thread got this log) goes to another log rather than get a false
 * time: the order of a free and the next allocation at its address hangs on it.
 */
#include <string.h>

#include "tracer/codec.h"
#include "tracer/internal.h"

enum {
    CONTEXT_ROOM = (1 + MT_VARINT32_BYTES) + (1 + MT_VARINT32_BYTES + MT_VARINT_BYTES), // THREAD, SCOPE
    LOST_ROOM = 1 + MT_VARINT_BYTES,
    COMPACT_ROOM = CONTEXT_ROOM + 1 + 3 * MT_VARINT_BYTES + 2 * MT_VARINT32_BYTES,
    TAGS_MAX = 64,
    TAG_ROOM = MT_VARINT32_BYTES + MT_VARINT_BYTES,
    BODY_ROOM = 3 * MT_VARINT32_BYTES + MT_VARINT_BYTES, // of an EVENT without tags
    LENGTH_ROOM = 2,
    FLUSH_NS_MIN = 10 * 1000 * 1000, // BUFFERED: between two times that everything is written out
    FLUSH_NS_MAX = 1000 * 1000 * 1000,
    FLUSH_SHARE = 100, // more where writing takes more than this part of the time
};

// A log whose times allow an event at `time_ns`: a parked one, or a new one without a chunk. The one parked last comes
// first, and nearly always serves; but all are looked at, since a new one stays for ever. Under file.lock.
static struct mt_log *take_log(struct mt_trace *trace, uint64_t time_ns) {
    for (struct mt_log **link = &trace->parked; *link != NULL; link = &(*link)->next_parked) {
        struct mt_log *log = *link;
        if (log->time_ns > time_ns) continue;
        *link = log->next_parked;
        return log;
    }
    struct mt_log *log = mt_arena_take(&trace->lane_arena, sizeof *log);
    if (log == NULL) return NULL;
    log->sites = mt_arena_take(&trace->lane_arena, MT_SITES * sizeof *log->sites);
    if (log->sites == NULL) return NULL;
    log->number = trace->logs == NULL ? 0 : trace->logs->number + 1;
    log->next = trace->logs;
    trace->logs = log;
    return log;
}

static void park_log(struct mt_trace *trace, struct mt_log *log) {
    log->next_parked = trace->parked;
    trace->parked = log;
}

// Under file.lock.
static struct mt_lane *new_lane(struct mt_trace *trace) {
    struct mt_lane *lane = trace->free_lane;
    if (lane != NULL) {
        trace->free_lane = lane->next_free;
        return lane;
    }
    lane = mt_arena_take(&trace->lane_arena, sizeof *lane);
    if (lane == NULL) return NULL;
    lane->next = trace->lanes;
    trace->lanes = lane;
    return lane;
}

// Under file.lock.
static void give_back(struct mt_trace *trace, struct mt_lane *lane) {
    park_log(trace, lane->log);
    lane->log = NULL;
    lane->next_free = trace->free_lane;
    trace->free_lane = lane;
}

struct mt_lane *mt_lane_acquire(struct mt_trace *trace, uint32_t tid) {
    struct mt_guard guard;
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return NULL;
    mt_guard_enter(&guard);
    // A fault of a thread that blocks SIGBUS ends the process, handler or not, so there is no good in blocking it.
    sigdelset(&guard.signals, SIGBUS);
    mt_lock_take(&trace->file.lock);
    struct mt_lane *lane = new_lane(trace);
    if (lane != NULL) {
        lane->trace = trace;
        lane->tid = tid;
        lane->log = take_log(trace, mt_now_ns());
        if (lane->log == NULL) {
            lane->next_free = trace->free_lane;
            trace->free_lane = lane;
            lane = NULL;
        }
    }
    if (lane == NULL) mt_file_lose_events(&trace->file, 1, ENOMEM);
    mt_lock_drop(&trace->file.lock);
    mt_guard_leave(&guard);
    return lane;
}

void mt_lane_release(struct mt_lane *lane) {
    struct mt_guard guard;
    struct mt_trace *trace = lane->trace;
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return;
    mt_guard_enter(&guard);
    mt_lock_take(&trace->file.lock);
    give_back(trace, lane);
    mt_lock_drop(&trace->file.lock);
    mt_guard_leave(&guard);
}

// A thread that ended in the middle of a record leaves its log unfit for others.
static bool has_no_owner(const struct mt_lane *lane) {
    if (lane->log == NULL || lane->log->writing) return false;
    return syscall(SYS_tgkill, getpid(), lane->tid, 0) != 0 && errno == ESRCH;
}

size_t mt_lanes_take_back(struct mt_trace *trace) {
    struct mt_guard guard;
    size_t owned = 0;
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return 0;
    mt_guard_enter(&guard);
    mt_lock_take(&trace->file.lock);
    for (struct mt_lane *lane = trace->lanes; lane != NULL; lane = lane->next) {
        if (has_no_owner(lane)) give_back(trace, lane);
        owned += lane->log != NULL;
    }
    mt_lock_drop(&trace->file.lock);
    mt_guard_leave(&guard);
    return owned;
}

// Its log stays with it: a handler may have been left that comes back. At the end it is sealed as all are.
bool mt_lane_whole(const struct mt_lane *lane) {
    return mt_trace_life(lane->trace) == MT_LIFE_FORKED || !lane->log->writing;
}

/*
 * BUFFERED: the file gets everything that was recorded. With both locks held nobody defines anything, so what the
 * events refer to is written before them. Whoever finds it due does it for all.
 */
static void write_out_all(struct mt_trace *trace, uint64_t time_ns) {
    uint64_t start_ns = mt_now_ns();
    mt_lock_take(&trace->lock);
    mt_lock_take(&trace->file.lock);
    if (mt_trace_life(trace) == MT_LIFE_OPEN && !mt_file_is_whole(&trace->file)) mt_trace_stop(trace, MT_LIFE_CUT);
    if (mt_trace_life(trace) == MT_LIFE_OPEN) {
        mt_chunk_flush(&trace->file, &trace->chunk);
        for (struct mt_log *log = trace->logs; log != NULL; log = log->next) mt_chunk_flush(&trace->file, &log->chunk);
        mt_file_flush_header(&trace->file);
    }
    mt_lock_drop(&trace->file.lock);
    mt_lock_drop(&trace->lock);
    uint64_t pause_ns = FLUSH_SHARE * (mt_now_ns() - start_ns);
    if (pause_ns < FLUSH_NS_MIN) pause_ns = FLUSH_NS_MIN;
    trace->flush_at_ns = time_ns + (pause_ns < FLUSH_NS_MAX ? pause_ns : FLUSH_NS_MAX);
}

// The log continues in a new chunk, or an event is lost. Under file.lock.
static bool open_chunk(struct mt_trace *trace, struct mt_log *log, uint64_t time_ns) {
    int error = mt_chunk_seal(&trace->file, &log->chunk);
    if (time_ns < log->time_ns) time_ns = log->time_ns;
    if (error == 0) {
        log->at = log->limit = NULL;
        trace->file.recorded += log->events;
        log->events = 0;
        error = mt_chunk_open(&trace->file, &log->chunk, MT_CHUNK_EVENTS, log->number, time_ns);
    }
    if (error != 0) {
        log->lost++;
        mt_file_lose_events(&trace->file, 1, -error);
        mt_trace_stop_after(trace, error);
        return false;
    }
    log->at = mt_payload(&log->chunk);
    log->limit = log->at + MT_PAYLOAD_BYTES;
    log->time_ns = time_ns;
    log->address = log->bytes = log->handle = 0;
    log->thread = log->context = 0;
    log->flush_at_ns = trace->file.storage == MT_STORAGE_BUFFERED ? time_ns + FLUSH_NS_MIN : UINT64_MAX;
    log->chunks++;
    return true;
}

static void publish(struct mt_log *log, uint8_t *end) {
    struct mt_chunk_header *header = log->chunk.header;
    log->at = end;
    __atomic_store_n(&header->records, log->events, __ATOMIC_RELAXED);
    __atomic_store_n(&header->used, (uint32_t)(end - (uint8_t *)(header + 1)), __ATOMIC_RELEASE);
}

static void mark_lost(struct mt_log *log) {
    uint8_t *at = log->at;
    *at++ = MT_RECORD_LOST;
    at = mt_put_varint(at, log->lost);
    log->lost = 0;
    publish(log, at);
}

// Why nothing is stored any more; 0 while it is.
static int why_over(const struct mt_trace *trace) {
    switch (mt_trace_life(trace)) {
    case MT_LIFE_FINISHED:
        return ESHUTDOWN;
    case MT_LIFE_CUT:
        return ESTALE;
    case MT_LIFE_FULL:
        return EOVERFLOW;
    default:
        return 0;
    }
}

// A full chunk that is mapped leaves the log under the lock, and is summed up outside it. One that is buffered is
// written out, which takes the descriptor and so the lock.
static bool replace_chunk(struct mt_trace *trace, struct mt_log *log, uint64_t time_ns) {
    bool opened = false, mapped = trace->file.storage == MT_STORAGE_MAPPED;
    struct mt_chunk full = {0};
    if (!mapped) write_out_all(trace, time_ns);
    mt_lock_take(&trace->file.lock);
    if (mt_trace_life(trace) == MT_LIFE_OPEN) {
        if (mapped) {
            full = log->chunk;
            log->chunk = (struct mt_chunk){0};
        }
        opened = open_chunk(trace, log, time_ns);
        mt_file_settle(&trace->file);
    } else {
        log->at = log->limit = NULL;
        mt_file_lose_events(&trace->file, 1, why_over(trace));
    }
    mt_lock_drop(&trace->file.lock);
    mt_trace_tell_name(trace);
    mt_chunk_seal(&trace->file, &full);
    return opened;
}

// An event that is lost takes the name as one that is stored does: the line about the loss names the file.
static void settle_name(struct mt_trace *trace) {
    if (atomic_load_explicit(&trace->told, memory_order_relaxed) || mt_trace_life(trace) == MT_LIFE_FINISHED) return;
    mt_lock_take(&trace->file.lock);
    mt_file_settle(&trace->file);
    mt_lock_drop(&trace->file.lock);
    mt_trace_tell_name(trace);
}

/*
 * The slow half of begin(): afterwards the log has `room` bytes for an event at `time_ns`, or the event is lost and
 * counted and NULL says so.
 */
static __attribute__((noinline)) struct mt_log *make_room(struct mt_lane *lane, uint64_t time_ns, size_t room) {
    struct mt_trace *trace = lane->trace;
    struct mt_guard guard;
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return NULL;
    if (lane->log->at != NULL && !mt_chunk_is_ours(lane->log->chunk.header, lane->log->at))
        mt_trace_stop(trace, MT_LIFE_CUT);
    int over = why_over(trace);
    if (over != 0) {
        mt_file_lose_events(&trace->file, 1, over);
        mt_guard_enter(&guard);
        settle_name(trace);
        mt_trace_tell_loss(trace);
        mt_guard_leave(&guard);
        return NULL;
    }
    mt_guard_enter(&guard);
    if (time_ns < lane->log->time_ns) {
        mt_lock_take(&trace->file.lock);
        struct mt_log *other = take_log(trace, time_ns);
        if (other != NULL) {
            lane->log->writing = false;
            other->writing = true;
            park_log(trace, lane->log);
            lane->log = other;
        }
        mt_lock_drop(&trace->file.lock);
    }
    struct mt_log *log = lane->log;
    if (trace->file.storage == MT_STORAGE_BUFFERED && time_ns >= log->flush_at_ns) {
        if (time_ns >= trace->flush_at_ns) write_out_all(trace, time_ns);
        log->flush_at_ns = trace->flush_at_ns;
    }
    bool has_room = (size_t)(log->limit - log->at) >= room + LOST_ROOM || replace_chunk(trace, log, time_ns);
    if (!has_room) mt_trace_tell_loss(trace);
    mt_guard_leave(&guard);
    if (!has_room) return NULL;
    if (log->lost > 0) mark_lost(log);
    return log;
}

// A signal handler left a record of this log for another coroutine, and the record may yet be finished.
static __attribute__((noinline)) struct mt_log *begun_already(struct mt_lane *lane) {
    mt_trace_lose_event(lane->trace, EINTR);
    return NULL;
}

// From here to commit() the log is in the middle of a record, and before anything is looked at: a signal handler may
// leave for another coroutine, whose events must not go to this log.
static inline struct mt_log *begin(struct mt_lane *lane, uint64_t time_ns, size_t room) {
    struct mt_log *log = lane->log;
    if (__builtin_expect(log->writing, 0)) return begun_already(lane);
    log->writing = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(mt_trace_life(lane->trace) != MT_LIFE_OPEN || (size_t)(log->limit - log->at) < room ||
                             time_ns < log->time_ns || time_ns >= log->flush_at_ns ||
                             !mt_chunk_is_ours(log->chunk.header, log->at),
                         0))
        log = make_room(lane, time_ns, room);
    if (log == NULL) lane->log->writing = false;
    return log;
}

// What the record needs to be said before it: THREAD and SCOPE, where they changed.
static inline uint8_t *put_context(struct mt_log *log, uint32_t tid, const struct mt_event *event) {
    uint8_t *at = log->at;
    if (log->thread != tid) {
        *at++ = MT_RECORD_THREAD;
        at = mt_put_varint(at, tid);
        log->thread = tid;
    }
    if (log->context != event->context || log->handle != event->stream) {
        *at++ = MT_RECORD_SCOPE;
        at = mt_put_varint(at, event->context);
        at = mt_put_varint(at, event->stream);
        log->context = event->context;
        log->handle = event->stream;
    }
    return at;
}

// Only an out-of-memory process gets here with a time before the log's last: it then takes that time.
static inline uint8_t *put_time(struct mt_log *log, uint8_t *at, uint64_t time_ns) {
    uint64_t delta = time_ns > log->time_ns ? time_ns - log->time_ns : 0;
    log->time_ns += delta;
    return mt_put_varint(at, delta);
}

// The trace finished while we were storing: the record counts as lost unless it was there before our chunk was frozen.
static __attribute__((noinline)) void account_late(struct mt_lane *lane) {
    struct mt_trace *trace = lane->trace;
    struct mt_log *log = lane->log;
    struct mt_guard guard;
    if (mt_trace_life(trace) != MT_LIFE_FINISHED) return;
    mt_guard_enter(&guard);
    mt_lock_take(&trace->file.lock);
    if (log->frozen && log->at - mt_payload(&log->chunk) > log->frozen_bytes)
        mt_file_lose_events(&trace->file, 1, ESHUTDOWN);
    mt_lock_drop(&trace->file.lock);
    mt_guard_leave(&guard);
}

static inline void commit(struct mt_lane *lane, struct mt_log *log, uint8_t *end) {
    log->events++;
    publish(log, end);
    atomic_signal_fence(memory_order_seq_cst);
    log->writing = false;
    if (__builtin_expect(mt_trace_life(lane->trace) != MT_LIFE_OPEN, 0)) account_late(lane);
}

// ALLOC, FREE and LAUNCH, whose fields are those of their site; an `address` of LAUNCH is 0 and not stored.
static inline void write_compact(struct mt_lane *lane, const struct mt_event *event, enum mt_record type,
                                 uint64_t address, uint64_t extra) {
    struct mt_log *log = begin(lane, event->time_ns, COMPACT_ROOM);
    if (log == NULL) return;
    uint32_t number = mt_site(type, event->api, event->stack, extra);
    struct mt_site *site = &log->sites[number];
    uint8_t *at = put_context(log, lane->tid, event);
    if (mt_site_is(site, log->chunks, type, event->api, event->stack, extra)) {
        bool same = site->address == address;
        *at++ = same ? MT_RECORD_SAME : MT_RECORD_AGAIN;
        at = put_time(log, at, event->time_ns);
        at = mt_put_varint(at, number);
        if (!same) at = mt_put_delta(at, address, log->address);
        site->address = address;
    } else {
        *at++ = (uint8_t)type;
        at = put_time(log, at, event->time_ns);
        at = mt_put_varint(at, event->api);
        at = type == MT_RECORD_LAUNCH ? mt_put_varint(at, extra) : mt_put_delta(at, address, log->address);
        if (type == MT_RECORD_ALLOC) at = mt_put_delta(at, extra, log->bytes);
        at = mt_put_varint(at, event->stack);
        *site = (struct mt_site){address, extra, event->api, event->stack, log->chunks, type};
    }
    if (type != MT_RECORD_LAUNCH) log->address = address;
    if (type == MT_RECORD_ALLOC) log->bytes = extra;
    commit(lane, log, at);
}

void mt_write_alloc(struct mt_lane *lane, const struct mt_event *event, uint64_t address, uint64_t bytes) {
    write_compact(lane, event, MT_RECORD_ALLOC, address, bytes);
}

void mt_write_free(struct mt_lane *lane, const struct mt_event *event, uint64_t address) {
    write_compact(lane, event, MT_RECORD_FREE, address, 0);
}

void mt_write_launch(struct mt_lane *lane, const struct mt_event *event, uint32_t launch) {
    write_compact(lane, event, MT_RECORD_LAUNCH, 0, launch);
}

// What the program may be about to die of. Where it would be lost with the process, it does not wait.
static void secure(struct mt_trace *trace, uint64_t time_ns) {
    struct mt_guard guard;
    if (trace->file.storage != MT_STORAGE_BUFFERED || mt_trace_life(trace) != MT_LIFE_OPEN) return;
    mt_guard_enter(&guard);
    write_out_all(trace, time_ns);
    mt_guard_leave(&guard);
}

void mt_write_event(struct mt_lane *lane, enum mt_effect effect, const struct mt_event *event,
                    const struct mt_tagged *tags, size_t tag_count) {
    uint8_t body[BODY_ROOM + TAGS_MAX * TAG_ROOM];
    if (tag_count > TAGS_MAX) tag_count = TAGS_MAX;
    size_t room = CONTEXT_ROOM + 1 + LENGTH_ROOM + BODY_ROOM + tag_count * TAG_ROOM;
    struct mt_log *log = begin(lane, event->time_ns, room);
    if (log == NULL) return;

    uint8_t *end = mt_put_varint(body, effect);
    end = put_time(log, end, event->time_ns);
    end = mt_put_varint(end, event->api);
    end = mt_put_varint(end, event->stack);
    for (size_t i = 0; i < tag_count; i++) {
        end = mt_put_varint(end, tags[i].tag);
        end = mt_put_varint(end, tags[i].value);
    }
    uint8_t *at = put_context(log, lane->tid, event);
    *at++ = MT_RECORD_EVENT;
    at = mt_put_varint(at, (uint64_t)(end - body));
    memcpy(at, body, (size_t)(end - body));
    commit(lane, log, at + (end - body));
    if (effect == MT_EFFECT_FAILED || effect == MT_EFFECT_OUT_OF_MEMORY) secure(lane->trace, event->time_ns);
}
