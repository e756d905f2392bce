/*
 * Writing the records of a call, see record.h.
 */
#include "preload/record.h"

#include "preload/effects/context_map.h"
#include "preload/effects/seen.h"
#include "preload/feed.h"
#include "preload/guard.h"
#include "preload/session.h"
#include "preload/unwind.h"

// What every event carries but its call stack.
static struct mt_event begin_plain(const struct mt_call *call, enum mt_when when, CUstream stream) {
    struct mt_event event = {
        .time_ns = when == MT_BEFORE_CALL && call->enter_ns ? call->enter_ns : mt_now_ns(),
        .api = mt_session_api(call->entry),
        .context = mt_context_id(call->context),
        .stream = (uintptr_t)(!stream && call->per_thread_stream ? CU_STREAM_PER_THREAD : stream),
    };
    return event;
}

static struct mt_event begin(const struct mt_call *call, enum mt_when when, CUstream stream) {
    struct mt_event event = begin_plain(call, when, stream);
    event.stack = mt_unwind_stack(mt_session_trace());
    return event;
}

// The address that this thread recorded last. Another interposer may go on to a function of another name: then what it
// returns to its caller is recorded already, as what it really is.
static __thread struct {
    uint64_t address;
    bool freed;
} last;

static bool done_within(const struct mt_call *call, uint64_t address, bool freed) {
    bool done = call->nested && last.address == address && last.freed == freed;
    last.address = address;
    last.freed = freed;
    return done;
}

// What comes back without having been handed out came by a call that went past the feed.
static void look_for_unseen(uint64_t address) {
    if (!mt_seen_take(address)) mt_feed_unseen("memory was freed whose allocation was not seen");
}

// What an event says of the memory that its first tag names.
static void note_memory(enum mt_effect effect, const struct mt_tagged *tags, size_t tag_count) {
    if (tag_count == 0 || (tags[0].tag != MT_TAG_ADDRESS && tags[0].tag != MT_TAG_OBJECT)) return;
    switch (effect) {
    case MT_EFFECT_ALLOCATED:
        mt_seen_add(tags[0].value);
        break;
    case MT_EFFECT_CAPTURED:
    case MT_EFFECT_IMPORTED:
    case MT_EFFECT_RETAINED:
    case MT_EFFECT_MULTICAST:
        mt_seen_keep(tags[0].value);
        break;
    case MT_EFFECT_RELEASED:
        look_for_unseen(tags[0].value);
        break;
    default:
        break;
    }
}

void mt_record_alloc(const struct mt_call *call, CUstream stream, uint64_t address, uint64_t bytes) {
    if (done_within(call, address, false)) return;
    mt_seen_add(address);
    struct mt_event event = begin(call, MT_AFTER_CALL, stream);
    mt_write_alloc(mt_thread.lane, &event, address, bytes);
}

void mt_record_free(const struct mt_call *call, CUstream stream, uint64_t address) {
    if (done_within(call, address, true)) return;
    look_for_unseen(address);
    struct mt_event event = begin(call, MT_BEFORE_CALL, stream);
    mt_write_free(mt_thread.lane, &event, address);
}

void mt_record_launch(const struct mt_call *call, CUstream stream, uint32_t launch) {
    bool stacks = mt_session_launch_stacks();
    struct mt_event event = stacks ? begin(call, MT_AFTER_CALL, stream) : begin_plain(call, MT_AFTER_CALL, stream);
    mt_write_launch(mt_thread.lane, &event, launch);
}

void mt_record_effect(const struct mt_call *call, enum mt_effect effect, enum mt_when when, CUstream stream,
                      const struct mt_tagged *tags, size_t tag_count) {
    struct mt_event event = begin(call, when, stream);
    note_memory(effect, tags, tag_count);
    mt_write_event(mt_thread.lane, effect, &event, tags, tag_count);
}

void mt_record_unmapped(const struct mt_call *call, CUstream stream, uint64_t address, uint64_t bytes) {
    const struct mt_tagged tags[] = {{MT_TAG_ADDRESS, address}, {MT_TAG_BYTES, bytes}};
    mt_record_effect(call, MT_EFFECT_UNMAPPED, MT_BEFORE_CALL, stream, tags, 2);
}

void mt_record_failed(const struct mt_call *call, CUstream stream, enum mt_tag tag, uint64_t value) {
    const struct mt_tagged tags[] = {{MT_TAG_RESULT, (uint64_t)call->result}, {tag, value}};
    mt_record_effect(call, MT_EFFECT_FAILED, MT_AFTER_CALL, stream, tags, 2);
}

void mt_record_late_free(uint32_t api, uint64_t address, uint64_t result) {
    const struct mt_tagged tags[] = {{MT_TAG_RESULT, result}, {MT_TAG_ADDRESS, address}};
    const struct mt_event event = {.time_ns = mt_now_ns(), .api = api, .stack = mt_unwind_stack(mt_session_trace())};
    mt_write_event(mt_thread.lane, MT_EFFECT_FAILED, &event, tags, 2);
}

void mt_record_outcome(const struct mt_call *call, enum mt_effect effect, enum mt_when when,
                       const struct mt_tagged *tags, size_t tag_count) {
    if (call->result != CUDA_SUCCESS) {
        mt_record_failed(call, NULL, tags[0].tag, tags[0].value);
    } else {
        mt_record_effect(call, effect, when, NULL, tags, tag_count);
    }
}
