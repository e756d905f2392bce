/*
 * The inside of a reader, shared by reader.c (opening, chunks, damage), reader_definitions.c and reader_events.c.
 *
 * The file is read with pread into memory of ours, never mapped: a file that shrinks under us is then a short read and
 * no SIGBUS. Which chunks there are, and how much of each is published, is noted once at opening – events before
 * definitions, so that no event of a live file refers to a definition we have not seen.
 */
#ifndef MEMTRACE_TRACER_READER_INTERNAL_H
#define MEMTRACE_TRACER_READER_INTERNAL_H

#include "tracer/reader.h"

struct mt_chunk_note {
    struct mt_chunk_header header; // as of opening
    bool damaged;                  // counted in the reader's damage already
    // Events: the base time, or that of a later chunk of the lane if it is earlier: a header that claims a time far
    // away must not hold back what follows it.
    uint64_t due_ns;
};

struct mt_reader {
    int fd;
    struct mt_file_header header;
    uint64_t file_bytes;
    struct mt_chunk_note *events; // by lane, then file order
    size_t event_chunks, event_room;
    struct mt_chunk_note *definitions; // file order
    size_t definition_chunks, definition_room;
    uint8_t **texts; // the payload of every definition chunk once read: definitions point into it
    struct mt_damage damage;
    uint64_t event_bytes, event_count;
};

// Reads a chunk's payload, as much as opening saw and the file still holds, into `payload` (header.used bytes). Checks
// a sealed one. Returns the bytes that may be decoded; what is missing of them has been counted as damage.
uint32_t mt_reader_load(struct mt_reader *reader, struct mt_chunk_note *note, uint8_t *payload);

// Counts damage from this payload offset on, once a chunk.
void mt_reader_damaged(struct mt_reader *reader, struct mt_chunk_note *note, uint32_t offset, uint64_t bytes);

// A record of type >= MT_RECORD_EXTENDED: at its fields, and where they end. NULL when it does not fit.
const uint8_t *mt_reader_fields(const uint8_t *at, const uint8_t *end, const uint8_t **fields_end);

#endif
