/*
 * Reader primitives: open a trace file, hand out its definitions and, chunk by chunk, its events. Knows the bytes of
 * format.h and nothing of what they mean. A damaged or torn chunk is skipped from the damage on and counted; nothing
 * here exits, prints or trusts a length it has not checked. One thread per reader.
 *
 * The file is read, not mapped, so one that shrinks meanwhile is a damage and no SIGBUS. A file that is being written
 * reads as it was when it was opened. Memory: the definitions, and one chunk for every lane that has events at the
 * moment the merge has come to.
 */
#ifndef MEMTRACE_TRACER_READER_H
#define MEMTRACE_TRACER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/format.h"

struct mt_reader;

enum mt_open_status {
    MT_OPEN_OK = 0,
    MT_OPEN_SYSTEM,    // errno says why (no such file, a directory, no permission)
    MT_OPEN_EMPTY,     // 0 bytes
    MT_OPEN_FOREIGN,   // not a memtrace file
    MT_OPEN_TRUNCATED, // a memtrace file shorter than its header
    MT_OPEN_NEWER,     // version or features this reader does not know; *version holds what the file says
    MT_OPEN_CORRUPT,   // a header that contradicts itself
};

// On MT_OPEN_OK the caller owns *out and ends it with mt_reader_close.
enum mt_open_status mt_reader_open(const char *path, struct mt_reader **out, uint32_t *version);
void mt_reader_close(struct mt_reader *reader);

const struct mt_file_header *mt_reader_header(const struct mt_reader *reader);

// What could not be read. All zero for an intact file. Complete only after definitions and events were read through.
struct mt_damage {
    uint32_t chunks;       // chunks in which something was unreadable
    uint64_t bytes;        // payload bytes skipped
    uint64_t first_offset; // file offset of the first damage
};
struct mt_damage mt_reader_damage(const struct mt_reader *reader);
uint64_t mt_reader_file_bytes(const struct mt_reader *reader);
uint64_t mt_reader_event_bytes(const struct mt_reader *reader); // payload of all event chunks
uint64_t mt_reader_event_count(const struct mt_reader *reader); // timed records read so far

// Definitions, in file order. Text and bytes (not terminated) live as long as the reader. Reading them again is allowed
// and gives the same pointers; so is reading the events again.
struct mt_definition {
    enum mt_record type;
    uint32_t id;         // the record's own id (0 for FACT, THREAD_NAME: tid, DEVICE: ordinal)
    uint32_t chunk;      // index of the chunk it stands in
    uint32_t parent;     // frames
    uint64_t address;    // NATIVE_FRAME: return address
    uint32_t code, line; // PYTHON_FRAME, CODE (line: first line)
    uint32_t name;       // string id: API, KERNEL, CODE (function), DEVICE, THREAD_NAME, MODULE (path), FACT (key)
    uint32_t value;      // string id: CODE (file), FACT (value)
    uint64_t start, end, bias; // MODULE
    const uint8_t *data;       // STRING: text; MODULE: build-id; DEVICE: uuid
    size_t data_bytes;
    uint32_t effect, memory;                          // API
    uint32_t kernel, grid[3], block[3], shared_bytes; // LAUNCH_SHAPE
    uint32_t device;                                  // CONTEXT
    uint64_t total_bytes;                             // DEVICE
};
typedef int mt_definition_fn(void *user, const struct mt_definition *definition); // non-zero stops
int mt_reader_definitions(struct mt_reader *reader, mt_definition_fn *fn, void *user);

// Events, all lanes merged by time (ties: by lane number, then file order).
struct mt_record_event {
    uint64_t time_ns;
    enum mt_effect effect; // compact records: ALLOCATED, FREED, LAUNCHED; LOST records: MT_EFFECT_NONE with lost > 0
    uint32_t api, stack, thread, context;
    uint64_t stream;
    uint64_t address, bytes; // of compact records and, when tagged, of extended ones
    uint32_t launch;
    uint64_t lost;
    uint32_t present;  // bit (1u << tag) for every tag read, for tags < 32
    uint64_t tags[32]; // by tag number; 0 when absent. Tags from 32 on are unknown here and stepped over
};
typedef int mt_event_fn(void *user, const struct mt_record_event *event); // non-zero stops
int mt_reader_events(struct mt_reader *reader, mt_event_fn *fn, void *user);

#endif
