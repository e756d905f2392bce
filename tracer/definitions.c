/*
 * Definitions: everything events refer to by number, written once, before the first reference. One chunk of the trace
 * takes them all, under one lock; what is known already is found without it. Stacks and modules are in their own files.
 */
#include <string.h>

#include "tracer/checksum.h"
#include "tracer/codec.h"
#include "tracer/internal.h"

// Mixed into a name's hash, so that a kernel and a string of one text are two things.
enum kind { KIND_STRING = 1, KIND_API, KIND_KERNEL, KIND_LAUNCH, KIND_CODE, KIND_DEVICE, KIND_FACT, KIND_THREAD_NAME };

static uint64_t key_of(enum kind kind, uint64_t first, uint64_t second) {
    return mt_step(mt_step(mt_step(0, kind), first), second);
}

static size_t text_length(const char *text) {
    return strnlen(text, MT_TEXT_BYTES);
}

static uint64_t text_hash(const char *text) {
    return mt_checksum(text, text_length(text), 0);
}

static void lose(struct mt_trace *trace, int error) {
    mt_file_lose_definitions(&trace->file, 1, error);
}

bool mt_definitions_room(struct mt_trace *trace, size_t bytes) {
    if (mt_trace_life(trace) == MT_LIFE_FINISHED) {
        lose(trace, ESHUTDOWN);
        return false;
    }
    if (trace->at != NULL && !mt_chunk_is_ours(trace->chunk.header, trace->at)) mt_trace_stop(trace, MT_LIFE_CUT);
    if (trace->file.cut) return false;
    if ((size_t)(trace->limit - trace->at) >= bytes) return true;

    mt_lock_take(&trace->file.lock);
    int error = mt_chunk_seal(&trace->file, &trace->chunk);
    if (error == 0) {
        trace->frame_address = 0;
        trace->at = trace->limit = NULL;
        error = mt_chunk_open(&trace->file, &trace->chunk, MT_CHUNK_DEFINITIONS, 0, mt_now_ns());
    }
    mt_lock_drop(&trace->file.lock);
    if (error != 0) {
        lose(trace, -error);
        mt_trace_stop_after(trace, error);
        return false;
    }
    trace->at = mt_payload(&trace->chunk);
    trace->limit = trace->at + MT_PAYLOAD_BYTES;
    return true;
}

void mt_definitions_append(struct mt_trace *trace, enum mt_record type, const uint8_t *fields, size_t field_bytes,
                           const void *data, size_t data_bytes) {
    struct mt_chunk_header *header = trace->chunk.header;
    uint8_t *at = trace->at;
    *at++ = (uint8_t)type;
    at = mt_put_varint(at, field_bytes + data_bytes);
    memcpy(at, fields, field_bytes);
    if (data_bytes > 0) memcpy(at + field_bytes, data, data_bytes);
    trace->at = at + field_bytes + data_bytes;
    __atomic_store_n(&header->records, header->records + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&header->used, (uint32_t)(trace->at - (uint8_t *)(header + 1)), __ATOMIC_RELEASE);
}

// Writes a record of a few numbers and perhaps some bytes. False when there is no room.
static bool write_record(struct mt_trace *trace, enum mt_record type, const uint64_t *numbers, size_t count,
                         const void *data, size_t data_bytes) {
    uint8_t fields[16 * MT_VARINT_BYTES];
    uint8_t *end = fields;
    for (size_t i = 0; i < count; i++) end = mt_put_varint(end, numbers[i]);
    size_t field_bytes = (size_t)(end - fields);
    if (!mt_definitions_room(trace, MT_DEFINITION_OVERHEAD + field_bytes + data_bytes)) return false;
    mt_definitions_append(trace, type, fields, field_bytes, data, data_bytes);
    return true;
}

// As write_record, for what `names` is to know afterwards: there is room for its key as well.
static bool write_named(struct mt_trace *trace, enum mt_record type, const uint64_t *numbers, size_t count,
                        const void *data, size_t data_bytes) {
    int error = mt_table_reserve(&trace->names, &trace->arena);
    if (error == 0) return write_record(trace, type, numbers, count, data, data_bytes);
    lose(trace, -error);
    return false;
}

#define NUMBERS(...) (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

uint32_t mt_define_text(struct mt_trace *trace, const char *text, size_t bytes) {
    uint64_t key = key_of(KIND_STRING, mt_checksum(text, bytes, 0), 0);
    uint32_t id = mt_table_find(&trace->names, key);
    if (id != 0) return id;
    if (!write_named(trace, MT_RECORD_STRING, NUMBERS(trace->strings + 1), text, bytes)) return 0;
    id = ++trace->strings;
    mt_table_add(&trace->names, key, id);
    return id;
}

static uint32_t text_id(struct mt_trace *trace, const char *text) {
    return mt_define_text(trace, text, text_length(text));
}

// Enters the slow path for a definition. False: it has become known meanwhile (*id), or nothing can be defined any
// more.
static bool enter(struct mt_trace *trace, struct mt_guard *guard, uint64_t key, uint32_t *id) {
    *id = 0;
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return false;
    *id = mt_table_find(&trace->names, key);
    if (*id != 0) return false;
    mt_guard_enter(guard);
    mt_lock_take(&trace->lock);
    *id = mt_table_find(&trace->names, key);
    if (*id == 0) return true;
    mt_lock_drop(&trace->lock);
    mt_guard_leave(guard);
    return false;
}

// Leaves it; an id other than 0 is what the key stands for from now on.
static uint32_t leave(struct mt_trace *trace, const struct mt_guard *guard, uint64_t key, uint32_t id) {
    if (id != 0) mt_table_add(&trace->names, key, id);
    mt_lock_drop(&trace->lock);
    if (id == 0) mt_trace_tell_loss(trace);
    mt_guard_leave(guard);
    return id;
}

uint32_t mt_define_string(struct mt_trace *trace, const char *text) {
    struct mt_guard guard;
    uint64_t key = key_of(KIND_STRING, text_hash(text), 0);
    uint32_t id;
    if (!enter(trace, &guard, key, &id)) return id;
    id = text_id(trace, text);
    leave(trace, &guard, 0, 0); // the text has entered itself
    return id;
}

uint32_t mt_define_api(struct mt_trace *trace, const char *name, enum mt_effect effect, enum mt_memory memory) {
    struct mt_guard guard;
    uint64_t key = key_of(KIND_API, text_hash(name), 0);
    uint32_t id;
    if (!enter(trace, &guard, key, &id)) return id;
    uint32_t text = text_id(trace, name);
    if (text != 0 && write_named(trace, MT_RECORD_API, NUMBERS(trace->apis + 1, effect, memory, text), NULL, 0))
        id = ++trace->apis;
    return leave(trace, &guard, key, id);
}

uint32_t mt_define_kernel(struct mt_trace *trace, const char *name) {
    struct mt_guard guard;
    uint64_t key = key_of(KIND_KERNEL, text_hash(name), 0);
    uint32_t id;
    if (!enter(trace, &guard, key, &id)) return id;
    uint32_t text = text_id(trace, name);
    if (text != 0 && write_named(trace, MT_RECORD_KERNEL, NUMBERS(trace->kernels + 1, text), NULL, 0))
        id = ++trace->kernels;
    return leave(trace, &guard, key, id);
}

uint32_t mt_define_context(struct mt_trace *trace, uint32_t device) {
    struct mt_guard guard;
    uint32_t id = 0;
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return 0;
    mt_guard_enter(&guard);
    mt_lock_take(&trace->lock);
    if (write_record(trace, MT_RECORD_CONTEXT, NUMBERS(trace->contexts + 1, device), NULL, 0)) id = ++trace->contexts;
    mt_lock_drop(&trace->lock);
    mt_guard_leave(&guard);
    return id;
}

void mt_define_device(struct mt_trace *trace, uint32_t ordinal, uint64_t bytes, const char *name,
                      const uint8_t uuid[16]) {
    struct mt_guard guard;
    uint64_t key = key_of(KIND_DEVICE, mt_checksum(uuid, 16, ordinal), mt_step(text_hash(name), bytes));
    uint32_t id;
    if (!enter(trace, &guard, key, &id)) return;
    uint32_t text = text_id(trace, name);
    if (text != 0 && write_named(trace, MT_RECORD_DEVICE, NUMBERS(ordinal, bytes, text), uuid, 16)) id = 1;
    leave(trace, &guard, key, id);
}

void mt_define_fact(struct mt_trace *trace, const char *key, const char *value) {
    struct mt_guard guard;
    uint64_t hash = key_of(KIND_FACT, text_hash(key), text_hash(value));
    uint32_t id;
    if (!enter(trace, &guard, hash, &id)) return;
    uint32_t key_text = text_id(trace, key);
    uint32_t value_text = key_text == 0 ? 0 : text_id(trace, value);
    if (value_text != 0 && write_named(trace, MT_RECORD_FACT, NUMBERS(key_text, value_text), NULL, 0)) id = 1;
    leave(trace, &guard, hash, id);
}

void mt_define_thread_name(struct mt_trace *trace, uint32_t tid, const char *name) {
    struct mt_guard guard;
    uint64_t key = key_of(KIND_THREAD_NAME, text_hash(name), tid);
    uint32_t id;
    if (!enter(trace, &guard, key, &id)) return;
    uint32_t text = text_id(trace, name);
    if (text != 0 && write_named(trace, MT_RECORD_THREAD_NAME, NUMBERS(tid, text), NULL, 0)) id = 1;
    leave(trace, &guard, key, id);
}

uint32_t mt_define_launch(struct mt_trace *trace, const struct mt_launch_shape *shape) {
    const uint32_t *g = shape->grid, *b = shape->block;
    const uint64_t words[] = {shape->kernel, g[0], g[1], g[2], b[0], b[1], b[2], shape->shared_bytes};
    struct mt_guard guard;
    uint64_t key = key_of(KIND_LAUNCH, mt_checksum(words, sizeof words, 0), 0);
    uint32_t id;
    if (!enter(trace, &guard, key, &id)) return id;
    if (write_named(
            trace, MT_RECORD_LAUNCH_SHAPE,
            NUMBERS(trace->launches + 1, shape->kernel, g[0], g[1], g[2], b[0], b[1], b[2], shape->shared_bytes), NULL,
            0))
        id = ++trace->launches;
    return leave(trace, &guard, key, id);
}

uint32_t mt_define_code(struct mt_trace *trace, uint64_t key, const char *name, const char *file, uint32_t first_line) {
    struct mt_guard guard;
    uint64_t hash = key_of(KIND_CODE, key, 0);
    uint32_t id;
    if (!enter(trace, &guard, hash, &id)) return id;
    uint32_t name_text = text_id(trace, name);
    uint32_t file_text = name_text == 0 ? 0 : text_id(trace, file);
    if (file_text != 0 &&
        write_named(trace, MT_RECORD_CODE, NUMBERS(trace->codes + 1, name_text, file_text, first_line), NULL, 0))
        id = ++trace->codes;
    return leave(trace, &guard, hash, id);
}

uint32_t mt_find_code(struct mt_trace *trace, uint64_t key) {
    if (mt_trace_life(trace) == MT_LIFE_FORKED) return 0;
    return mt_table_find(&trace->names, key_of(KIND_CODE, key, 0));
}
