/*
 * The inside of a trace, shared by the recorder's own files: who may touch what, and under which lock.
 */
#ifndef MEMTRACE_TRACER_INTERNAL_H
#define MEMTRACE_TRACER_INTERNAL_H

#include "tracer/file.h"
#include "tracer/memory.h"
#include "tracer/site.h"
#include "tracer/table.h"
#include "tracer/trace.h"

// The life word has a page of its own, which the kernel wipes in a forked child: it then reads FORKED there.
enum mt_life {
    MT_LIFE_FORKED = 0,
    MT_LIFE_OPEN = 1,
    MT_LIFE_FINISHED = 2,
    // Stopped (enum mt_stopped): no event is stored any more, each is counted, and the trace is still to be finished.
    MT_LIFE_CUT = 3,
    MT_LIFE_FULL = 4,
};

// An append log: one lane number of the file, its open chunk and what the next record is a delta to.
struct mt_log {
    // Of the owner alone.
    uint8_t *at, *limit; // the next record goes to `at`
    uint64_t time_ns, address, bytes, handle;
    uint32_t thread, context;
    uint32_t events; // in this chunk
    uint32_t chunks; // opened so far
    struct mt_site *sites;
    uint64_t flush_at_ns; // BUFFERED; else never
    uint64_t lost;        // not marked in the log yet
    bool writing;         // a record is begun and not published
    // Under file.lock.
    struct mt_chunk chunk;
    uint32_t number;
    bool frozen;                // the trace has finished under the owner,
    uint32_t frozen_bytes;      // with so much payload stored
    struct mt_log *next;        // all logs
    struct mt_log *next_parked; // logs without an owner
};

struct mt_lane {
    struct mt_trace *trace;
    struct mt_log *log;
    uint32_t tid;
    struct mt_lane *next;      // all lanes; these under file.lock
    struct mt_lane *next_free; // lanes without an owner
};

struct mt_module {
    uint64_t start, end, bias;
    uint64_t identity; // hash of path and build-id
    uint32_t id;
    bool seen; // by the refresh in progress
};

struct mt_trace {
    _Atomic uint32_t *life;
    pid_t pid; // where the kernel can't wipe on fork: who we are, to be compared at every entry. Else 0

    struct mt_file file;
    struct mt_arena lane_arena;   // these five under file.lock
    struct mt_log *logs;          // all
    struct mt_log *parked;        // without an owner
    struct mt_lane *lanes;        // all handles
    struct mt_lane *free_lane;    // handles without an owner
    _Atomic uint64_t flush_at_ns; // BUFFERED: when everything is written out next; else unused
    mt_loss_listener *listener;   // set before anything is recorded
    atomic_bool told;             // … of the first loss
    mt_name_listener *name_listener;

    // Definitions: all under `lock`, except that the tables are read without.
    struct mt_lock lock;
    struct mt_arena arena;
    struct mt_chunk chunk;
    uint8_t *at, *limit;
    uint64_t frame_address; // of the last native frame in this chunk
    uint32_t strings, apis, kernels, contexts, launches, codes, nodes, module_ids;
    struct mt_table names; // strings, APIs, kernels, launches, codes, facts: by a hash that includes the kind
    struct mt_table stacks;
    struct mt_table frames; // trie nodes, by parent and frame

    struct mt_module *modules; // sorted by start
    size_t module_count, module_room;
    uint64_t modules_added, modules_removed; // the loader's counters as of our list
    bool modules_known;
    uint64_t modules_retry_ns; // our list could not be stored whole: not listed again before
    _Atomic uint64_t epoch;    // stacks known before a module vanished are not looked up any more
};

static inline enum mt_life mt_trace_life(const struct mt_trace *trace) {
    uint32_t life = atomic_load_explicit(trace->life, memory_order_acquire);
    if (__builtin_expect(trace->pid != 0, 0) && trace->pid != getpid()) return MT_LIFE_FORKED;
    return (enum mt_life)life;
}

// trace.c. Stops an open trace: CUT or FULL.
void mt_trace_stop(struct mt_trace *trace, enum mt_life how);
// Stops it if the error of an attempt to store something (file.h) is one that lasts.
void mt_trace_stop_after(struct mt_trace *trace, int error);
// Tells the listener of the first loss. With a guard on and no lock held.
void mt_trace_tell_loss(struct mt_trace *trace);
// Tells the listener what became of the name, once it is settled.
void mt_trace_tell_name(struct mt_trace *trace);

// What we left in a chunk is still there. Somebody else may have overwritten the file; then it is not ours to store to.
static inline bool mt_chunk_is_ours(const struct mt_chunk_header *header, const uint8_t *end) {
    return header->magic == MT_CHUNK_MAGIC && header->used == (uint32_t)(end - (const uint8_t *)(header + 1));
}

// definitions.c. All under `lock`.
// Makes sure of room for a record of so many bytes. False (and a counted loss) when there is none.
bool mt_definitions_room(struct mt_trace *trace, size_t bytes);
// Appends one record: `fields`, then `data`. Room has been made.
void mt_definitions_append(struct mt_trace *trace, enum mt_record type, const uint8_t *fields, size_t field_bytes,
                           const void *data, size_t data_bytes);
// The id of a text, defined if it is new; 0 when it can't be.
uint32_t mt_define_text(struct mt_trace *trace, const char *text, size_t bytes);

// How many names, how many trie nodes and how many whole stacks a trace knows at most: slots of 64 MiB for each, and as
// much in outgrown ones. Names and nodes that are new after that are lost and counted.
#define MT_THINGS_MAX ((1u << 23) / 3)

// Room for the type and length of a definition besides its fields.
#define MT_DEFINITION_OVERHEAD (1 + MT_VARINT32_BYTES)
// Longer texts are cut.
#define MT_TEXT_BYTES 16384

// modules.c. Makes the module known that holds the address, which is in code that this thread is in, for a caller that
// has its guard on and holds no lock. Takes no lock of the loader's, either. False when the file does not hold it for
// want of room; true also where there is no such module.
bool mt_modules_learn(struct mt_trace *trace, uint64_t address);
// The id of the module that holds the address, or 0. Under `lock`.
uint32_t mt_module_of(const struct mt_trace *trace, uint64_t address);

#endif
