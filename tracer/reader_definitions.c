/*
 * Decodes definition chunks. Fields that a later version appends to a record are stepped over; a record that ends
 * before its fields do is damage, and costs the rest of its chunk.
 */
#include <stdlib.h>
#include <string.h>

#include "tracer/codec.h"
#include "tracer/reader_internal.h"

// A cursor over the fields of one record. After a failure at is NULL, and stays so.
struct fields {
    const uint8_t *at, *end;
};

static uint64_t wide(struct fields *fields) {
    uint64_t value = 0;
    if (fields->at != NULL) fields->at = mt_get_varint(fields->at, fields->end, &value);
    return fields->at == NULL ? 0 : value;
}

static uint32_t number(struct fields *fields) {
    uint64_t value = wide(fields);
    if (value > UINT32_MAX) fields->at = NULL;
    return (uint32_t)value;
}

static void rest(struct fields *fields, struct mt_definition *definition) {
    if (fields->at == NULL) return;
    definition->data = fields->at;
    definition->data_bytes = (size_t)(fields->end - fields->at);
}

static void decode_frame(struct fields *fields, struct mt_definition *definition, uint64_t *address) {
    definition->id = number(fields);
    definition->parent = number(fields);
    if (definition->type == MT_RECORD_PYTHON_FRAME) {
        definition->code = number(fields);
        definition->line = number(fields);
        return;
    }
    *address += mt_unzigzag(wide(fields));
    definition->address = *address;
}

static void decode_module(struct fields *fields, struct mt_definition *definition) {
    definition->id = number(fields);
    definition->start = wide(fields);
    definition->end = wide(fields);
    definition->bias = wide(fields);
    definition->name = number(fields);
    rest(fields, definition);
}

static void decode_launch_shape(struct fields *fields, struct mt_definition *definition) {
    definition->id = number(fields);
    definition->kernel = number(fields);
    for (int i = 0; i < 3; i++) definition->grid[i] = number(fields);
    for (int i = 0; i < 3; i++) definition->block[i] = number(fields);
    definition->shared_bytes = number(fields);
}

static void decode_device(struct fields *fields, struct mt_definition *definition) {
    definition->id = number(fields);
    definition->total_bytes = wide(fields);
    definition->name = number(fields);
    rest(fields, definition);
    if (definition->data_bytes < 16) fields->at = NULL;
}

static void decode_names(struct fields *fields, struct mt_definition *definition) {
    switch (definition->type) {
    case MT_RECORD_CODE:
        definition->id = number(fields);
        definition->name = number(fields);
        definition->value = number(fields);
        definition->line = number(fields);
        break;
    case MT_RECORD_API:
        definition->id = number(fields);
        definition->effect = number(fields);
        definition->memory = number(fields);
        definition->name = number(fields);
        break;
    case MT_RECORD_FACT:
        definition->name = number(fields);
        definition->value = number(fields);
        break;
    default: // KERNEL, THREAD_NAME
        definition->id = number(fields);
        definition->name = number(fields);
        break;
    }
}

enum outcome { DECODED, UNKNOWN, BROKEN };

static enum outcome decode(struct fields *fields, struct mt_definition *definition, uint64_t *address) {
    switch (definition->type) {
    case MT_RECORD_STRING:
        definition->id = number(fields);
        rest(fields, definition);
        break;
    case MT_RECORD_MODULE:
        decode_module(fields, definition);
        break;
    case MT_RECORD_MODULE_GONE:
        definition->id = number(fields);
        break;
    case MT_RECORD_NATIVE_FRAME:
    case MT_RECORD_PYTHON_FRAME:
        decode_frame(fields, definition, address);
        break;
    case MT_RECORD_LAUNCH_SHAPE:
        decode_launch_shape(fields, definition);
        break;
    case MT_RECORD_CONTEXT:
        definition->id = number(fields);
        definition->device = number(fields);
        break;
    case MT_RECORD_DEVICE:
        decode_device(fields, definition);
        break;
    case MT_RECORD_CODE:
    case MT_RECORD_API:
    case MT_RECORD_KERNEL:
    case MT_RECORD_FACT:
    case MT_RECORD_THREAD_NAME:
        decode_names(fields, definition);
        break;
    default:
        return UNKNOWN;
    }
    return fields->at == NULL ? BROKEN : DECODED;
}

static int decode_chunk(struct mt_reader *reader, struct mt_chunk_note *note, const uint8_t *payload, uint32_t bytes,
                        mt_definition_fn *fn, void *user) {
    const uint8_t *at = payload, *end = payload + bytes;
    uint64_t address = 0;
    while (at < end) {
        struct mt_definition definition = {.type = (enum mt_record) * at, .chunk = note->header.index};
        struct fields fields = {0};
        if (*at >= MT_RECORD_EXTENDED) fields.at = mt_reader_fields(at + 1, end, &fields.end);
        const uint8_t *next = fields.end;
        enum outcome outcome = fields.at == NULL ? BROKEN : decode(&fields, &definition, &address);
        if (outcome == BROKEN) {
            mt_reader_damaged(reader, note, (uint32_t)(at - payload), (uint64_t)(end - at));
            return 0;
        }
        int stop = outcome == DECODED ? fn(user, &definition) : 0;
        if (stop != 0) return stop;
        at = next;
    }
    return 0;
}

int mt_reader_definitions(struct mt_reader *reader, mt_definition_fn *fn, void *user) {
    for (size_t i = 0; i < reader->definition_chunks; i++) {
        struct mt_chunk_note *note = &reader->definitions[i];
        if (reader->texts[i] == NULL) reader->texts[i] = malloc(note->header.used + 1);
        if (reader->texts[i] == NULL) {
            mt_reader_damaged(reader, note, 0, note->header.used);
            continue;
        }
        uint32_t bytes = mt_reader_load(reader, note, reader->texts[i]);
        int stop = decode_chunk(reader, note, reader->texts[i], bytes, fn, user);
        if (stop != 0) return stop;
    }
    return 0;
}
