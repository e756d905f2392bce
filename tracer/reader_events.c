/*
 * Decodes event chunks and merges the lanes by time, with one chunk in memory for every lane that overlaps the
 * present moment: a lane waits at the base time of its next chunk, without memory, until its turn comes.
 */
#include <stdlib.h>
#include <string.h>

#include "tracer/codec.h"
#include "tracer/reader_internal.h"
#include "tracer/site.h"

enum { TAGS = sizeof((struct mt_record_event *)0)->tags / sizeof((struct mt_record_event *)0)->tags[0] };

// One lane's place in its chunks.
struct cursor {
    uint64_t time_ns; // of `event`, or when `chunk` is due
    struct mt_chunk_note *chunk, *chunks_end;
    uint8_t *payload; // of `chunk`; NULL before its turn
    const uint8_t *at, *end;
    uint64_t last_ns;             // of the last record decoded
    struct mt_record_event event; // decoded, not yet handed out, while `payload` is there
    uint64_t address, bytes, handle;
    uint32_t thread, context;
    struct mt_site *sites; // of `chunk`
};

enum outcome { EVENT, END, BROKEN };

static void put_tag(struct mt_record_event *event, uint64_t tag, uint64_t value) {
    if (tag >= TAGS) return;
    event->present |= 1u << tag;
    event->tags[tag] = value;
    switch (tag) {
    case MT_TAG_ADDRESS:
        event->address = value;
        break;
    case MT_TAG_BYTES:
        event->bytes = value;
        break;
    case MT_TAG_LAUNCH:
        event->launch = (uint32_t)value;
        break;
    default:
        break;
    }
}

static const uint8_t *decode_extended(struct cursor *cursor, const uint8_t *at, struct mt_record_event *event) {
    const uint8_t *end;
    uint64_t delta;
    uint32_t effect;
    at = mt_reader_fields(at, cursor->end, &end);
    if (at != NULL) at = mt_get_varint32(at, end, &effect);
    if (at != NULL) at = mt_get_varint(at, end, &delta);
    if (at != NULL) at = mt_get_varint32(at, end, &event->api);
    if (at != NULL) at = mt_get_varint32(at, end, &event->stack);
    while (at != NULL && at < end) {
        uint64_t tag, value;
        at = mt_get_varint(at, end, &tag);
        if (at != NULL) at = mt_get_varint(at, end, &value);
        if (at != NULL) put_tag(event, tag, value);
    }
    if (at == NULL) return NULL;
    event->effect = (enum mt_effect)effect;
    cursor->last_ns += delta;
    return at;
}

// The event that a full record or a site stands for.
static void make_event(struct cursor *cursor, const struct mt_site *site, struct mt_record_event *event) {
    event->api = site->api;
    event->stack = site->stack;
    if (site->type == MT_RECORD_LAUNCH) {
        event->effect = MT_EFFECT_LAUNCHED;
        event->launch = (uint32_t)site->extra;
        return;
    }
    event->address = cursor->address = site->address;
    event->effect = site->type == MT_RECORD_ALLOC ? MT_EFFECT_ALLOCATED : MT_EFFECT_FREED;
    if (site->type == MT_RECORD_ALLOC) event->bytes = cursor->bytes = site->extra;
}

static const uint8_t *decode_full(struct cursor *cursor, uint8_t type, const uint8_t *at,
                                  struct mt_record_event *event) {
    struct mt_site site = {.type = type, .chunk = 1, .address = type == MT_RECORD_LAUNCH ? 0 : cursor->address};
    const uint8_t *end = cursor->end;
    uint32_t launch = 0;
    uint64_t delta, bytes = cursor->bytes;
    at = mt_get_varint(at, end, &delta);
    if (at != NULL) at = mt_get_varint32(at, end, &site.api);
    if (at != NULL && type == MT_RECORD_LAUNCH) at = mt_get_varint32(at, end, &launch);
    if (at != NULL && type != MT_RECORD_LAUNCH) at = mt_get_delta(at, end, &site.address);
    if (at != NULL && type == MT_RECORD_ALLOC) at = mt_get_delta(at, end, &bytes);
    if (at != NULL) at = mt_get_varint32(at, end, &site.stack);
    if (at == NULL) return NULL;
    site.extra = type == MT_RECORD_ALLOC ? bytes : launch;
    cursor->last_ns += delta;
    cursor->sites[mt_site(type, site.api, site.stack, site.extra)] = site;
    make_event(cursor, &site, event);
    return at;
}

static const uint8_t *decode_repeated(struct cursor *cursor, uint8_t type, const uint8_t *at,
                                      struct mt_record_event *event) {
    uint64_t delta, address = cursor->address;
    uint32_t number = 0;
    at = mt_get_varint(at, cursor->end, &delta);
    if (at != NULL) at = mt_get_varint32(at, cursor->end, &number);
    if (at == NULL || number >= MT_SITES || cursor->sites[number].chunk == 0) return NULL;
    if (type == MT_RECORD_AGAIN) {
        at = mt_get_delta(at, cursor->end, &address);
        if (at == NULL) return NULL;
        cursor->sites[number].address = address;
    }
    cursor->last_ns += delta;
    make_event(cursor, &cursor->sites[number], event);
    return at;
}

// One record. *event is whole when it returns something and *complete is set.
static const uint8_t *decode_record(struct cursor *cursor, struct mt_record_event *event, bool *complete) {
    const uint8_t *at = cursor->at + 1, *end = cursor->end;
    uint8_t type = *cursor->at;
    switch (type) {
    case MT_RECORD_THREAD:
        return mt_get_varint32(at, end, &cursor->thread);
    case MT_RECORD_SCOPE:
        at = mt_get_varint32(at, end, &cursor->context);
        return at == NULL ? NULL : mt_get_varint(at, end, &cursor->handle);
    case MT_RECORD_LOST:
        *complete = true;
        return mt_get_varint(at, end, &event->lost);
    case MT_RECORD_ALLOC:
    case MT_RECORD_FREE:
    case MT_RECORD_LAUNCH:
        *complete = true;
        return decode_full(cursor, type, at, event);
    case MT_RECORD_AGAIN:
    case MT_RECORD_SAME:
        *complete = true;
        return decode_repeated(cursor, type, at, event);
    case MT_RECORD_EVENT:
        *complete = true;
        return decode_extended(cursor, at, event);
    default:
        if (type < MT_RECORD_EXTENDED || mt_reader_fields(at, end, &end) == NULL) return NULL;
        return end;
    }
}

static void clear(struct mt_record_event *event) {
    while (event->present != 0) {
        int tag = __builtin_ctz(event->present);
        event->tags[tag] = 0;
        event->present &= event->present - 1;
    }
    event->effect = MT_EFFECT_NONE;
    event->api = event->stack = event->launch = 0;
    event->address = event->bytes = event->lost = 0;
}

static enum outcome decode_next(struct cursor *cursor) {
    struct mt_record_event *event = &cursor->event;
    clear(event);
    for (bool complete = false; !complete;) {
        if (cursor->at == cursor->end) return END;
        uint64_t before_ns = cursor->last_ns;
        const uint8_t *at = decode_record(cursor, event, &complete);
        if (at == NULL || cursor->last_ns < before_ns) {
            cursor->last_ns = before_ns;
            return BROKEN;
        }
        cursor->at = at;
    }
    event->time_ns = cursor->time_ns = cursor->last_ns;
    event->thread = cursor->thread;
    event->context = cursor->context;
    event->stream = cursor->handle;
    return EVENT;
}

static void unload_chunk(struct cursor *cursor) {
    free(cursor->payload);
    free(cursor->sites);
    cursor->payload = NULL;
    cursor->sites = NULL;
}

static void load_chunk(struct mt_reader *reader, struct cursor *cursor) {
    struct mt_chunk_note *note = cursor->chunk;
    uint32_t used = note->header.used, bytes = 0;
    cursor->payload = malloc(used + 1);
    cursor->sites = calloc(MT_SITES, sizeof *cursor->sites);
    if (cursor->payload == NULL || cursor->sites == NULL)
        mt_reader_damaged(reader, note, 0, used);
    else
        bytes = mt_reader_load(reader, note, cursor->payload);
    // Times of one lane never decrease: a chunk that says so has a damaged header.
    if (bytes > 0 && note->header.base_time_ns < cursor->last_ns) {
        mt_reader_damaged(reader, note, 0, used);
        bytes = 0;
    }
    if (bytes > 0) cursor->last_ns = note->header.base_time_ns;
    cursor->at = cursor->payload;
    cursor->end = cursor->at + bytes;
    cursor->address = cursor->bytes = cursor->handle = 0;
    cursor->thread = cursor->context = 0;
}

// To the next event, or to the beginning of the next chunk. False at the end of the lane.
static bool advance(struct mt_reader *reader, struct cursor *cursor) {
    if (cursor->payload == NULL) load_chunk(reader, cursor);
    enum outcome outcome = decode_next(cursor);
    if (outcome == EVENT) return true;
    if (outcome == BROKEN)
        mt_reader_damaged(reader, cursor->chunk, (uint32_t)(cursor->at - cursor->payload),
                          (uint64_t)(cursor->end - cursor->at));
    unload_chunk(cursor);
    if (++cursor->chunk == cursor->chunks_end) return false;
    cursor->time_ns = cursor->chunk->due_ns > cursor->last_ns ? cursor->chunk->due_ns : cursor->last_ns;
    return true;
}

// A binary heap of cursors, the earliest on top; among equal times the lowest lane number.
struct merge {
    struct cursor **heap;
    size_t count;
};

static bool is_before(const struct cursor *a, const struct cursor *b) {
    if (a->time_ns != b->time_ns) return a->time_ns < b->time_ns;
    return a->chunk->header.lane < b->chunk->header.lane;
}

static void sift_down(struct merge *merge, size_t parent) {
    struct cursor *moved = merge->heap[parent];
    for (size_t child; (child = 2 * parent + 1) < merge->count; parent = child) {
        if (child + 1 < merge->count && is_before(merge->heap[child + 1], merge->heap[child])) child++;
        if (!is_before(merge->heap[child], moved)) break;
        merge->heap[parent] = merge->heap[child];
    }
    merge->heap[parent] = moved;
}

static int merge_all(struct mt_reader *reader, struct merge *merge, mt_event_fn *fn, void *user) {
    for (size_t i = merge->count / 2; i-- > 0;) sift_down(merge, i);
    while (merge->count > 0) {
        struct cursor *first = merge->heap[0];
        if (first->payload != NULL) {
            reader->event_count += first->event.lost == 0;
            int stop = fn(user, &first->event);
            if (stop != 0) return stop;
        }
        if (!advance(reader, first)) merge->heap[0] = merge->heap[--merge->count];
        if (merge->count > 0) sift_down(merge, 0);
    }
    return 0;
}

static size_t count_lanes(const struct mt_reader *reader) {
    size_t lanes = 0;
    for (size_t i = 0; i < reader->event_chunks; i++)
        lanes += i == 0 || reader->events[i - 1].header.lane != reader->events[i].header.lane;
    return lanes;
}

// One cursor a lane, each at its first chunk.
static void place_cursors(struct mt_reader *reader, struct cursor *cursors, struct merge *merge) {
    for (size_t i = 0; i < reader->event_chunks; i++) {
        struct mt_chunk_note *note = &reader->events[i];
        if (i == 0 || note[-1].header.lane != note->header.lane) {
            struct cursor *cursor = &cursors[merge->count];
            cursor->chunk = note;
            cursor->time_ns = note->due_ns;
            merge->heap[merge->count++] = cursor;
        }
        cursors[merge->count - 1].chunks_end = note + 1;
    }
}

int mt_reader_events(struct mt_reader *reader, mt_event_fn *fn, void *user) {
    size_t lanes = count_lanes(reader);
    struct cursor *cursors = calloc(lanes + 1, sizeof *cursors);
    struct merge merge = {.heap = calloc(lanes + 1, sizeof(struct cursor *))};
    int result = 0;
    reader->event_count = 0;
    if (cursors == NULL || merge.heap == NULL) {
        for (size_t i = 0; i < reader->event_chunks; i++)
            mt_reader_damaged(reader, &reader->events[i], 0, reader->events[i].header.used);
    } else {
        place_cursors(reader, cursors, &merge);
        result = merge_all(reader, &merge, fn, user);
    }
    for (size_t i = 0; cursors != NULL && i < lanes; i++) unload_chunk(&cursors[i]);
    free(merge.heap);
    free(cursors);
    return result;
}
