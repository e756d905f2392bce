/*
 * The trace file, byte by byte: this header is the specification of trace.bin.
 *
 * A file is a header of `header_bytes` (4096, or a page of the machine that wrote it where those are bigger) followed
 * by chunks of `chunk_bytes` each. A chunk holds records of one kind: *definitions* (strings, modules, stacks, names:
 * each written once, before anything refers to it) or *events* (what happened). Event chunks of one lane number, in
 * file order, are one thread-at-a-time append log whose times never decrease; a reader loads all definitions first and
 * then merges the event lanes by time in one pass.
 *
 * Everything is little-endian. "varint" is unsigned LEB128 (7 bits a byte, low first, at most 10 bytes); "zigzag" is a
 * varint of (n << 1) ^ (n >> 63). Every chunk decodes on its own: at its beginning time is the chunk's base_time_ns,
 * and everything else that records are relative to (thread, context, stream handle, address, bytes) is zero.
 *
 * Repetition: programs do the same things again and again. Each event chunk has MT_SITES sites, all empty at its
 * beginning. A full ALLOC, FREE or LAUNCH record fills site mt_site() (site.h) with its type, api, stack, address and
 * bytes (LAUNCH: launch); AGAIN then stands for the same record at another time and address, SAME for the same at
 * another time. The site and whatever the next records are relative to become what the full record would have made
 * them.
 *
 * Publishing: a writer appends records to a mapped chunk, then stores `used` (and `records`) with release order. Bytes
 * behind `used` mean nothing. So what is published survives SIGKILL, and a reader may read a file that is being
 * written. A sealed chunk carries a checksum of its payload; an open one has none.
 *
 * Readers: refuse a newer `version` or an unknown bit in `features`; accept every older version; step over unknown
 * records of type >= MT_RECORD_EXTENDED (they carry their length) and over unknown tags. A compact record of an
 * unknown type means damage: the rest of that chunk is lost and is reported as such.
 *
 * Worked example: the payload of an event chunk with base_time_ns = 1000250, in which thread 7, in context 1 on stream
 * 0, calls cuMemAlloc (api 3) at time 1000250 for 1048576 bytes, gets 0x7f0000000000, and frees it (api 4) at 1002250:
 *
 *   01 07                            THREAD    tid 7
 *   02 01 00                         SCOPE     context 1, stream 0
 *   03 00 03                         ALLOC     time +0, api 3,
 *      80 80 80 80 80 c0 3f             address +0x7f0000000000 (zigzag: 0xfe0000000000),
 *      80 80 80 01                      size +1048576 (zigzag: 2097152),
 *      05                               stack 5
 *   04 d0 0f 04 00 06                FREE      time +2000, api 4, address +0, stack 6
 *
 * tests/unit/test_format.c holds the writer to these bytes.
 */
#ifndef MEMTRACE_TRACER_FORMAT_H
#define MEMTRACE_TRACER_FORMAT_H

#include <stdint.h>

#define MT_MAGIC        "MEMTRACE" // 8 bytes, no terminator
#define MT_VERSION      1u
#define MT_HEADER_BYTES 4096u // at least
#define MT_CHUNK_BYTES  65536u
#define MT_CHUNK_MAGIC  0x4b43544du // "MTCK"

// Bits of mt_file_header.features: each one changes what an old reader would misread. None so far.
#define MT_FEATURES_KNOWN 0u

#define MT_SITES 1024u // of an event chunk

enum mt_state { MT_STATE_WRITING = 1, MT_STATE_FINISHED = 2 };

// How bytes reach the file: MAPPED survives SIGKILL up to the last record; BUFFERED loses what was not yet written out.
enum mt_storage { MT_STORAGE_MAPPED = 1, MT_STORAGE_BUFFERED = 2 };

// Why recording stopped before the program did. Every event after that is in lost_events.
enum mt_stopped {
    MT_STOPPED_NOT = 0,
    MT_STOPPED_CUT = 1,   // another program cut or overwrote the file; lost_events has what was in it, too
    MT_STOPPED_LIMIT = 2, // the file reached max_bytes
};

// First 128 bytes of the file; the rest of header_bytes is zero.
struct mt_file_header {
    char magic[8];
    uint32_t version;
    uint32_t features;
    uint32_t header_bytes;
    uint32_t chunk_bytes;
    uint32_t pid;
    uint32_t state;   // enum mt_state
    uint32_t storage; // enum mt_storage
    uint32_t reserved;
    uint64_t start_monotonic_ns; // CLOCK_MONOTONIC, the clock of all events
    uint64_t start_realtime_ns;  // CLOCK_REALTIME at the same moment
    uint64_t end_monotonic_ns;   // when finished; 0 before
    uint64_t lost_events;        // events that could not be stored (disk full)
    uint64_t lost_definitions;   // stacks, names … that could not be stored
    uint64_t lost_errno;         // errno of the first loss
    uint64_t file_bytes;         // length of the file when finished (a shorter one was cut); 0: not known
    uint64_t max_bytes;          // what the file may grow to; 0: as far as there is room
    uint64_t family;             // the same in all processes that one command has started; 0: not known
    uint32_t level;              // generations below the first of them
    uint32_t stopped;            // enum mt_stopped
    uint64_t padding[1];
};

enum mt_chunk_kind { MT_CHUNK_DEFINITIONS = 1, MT_CHUNK_EVENTS = 2 };

// First 64 bytes of every chunk; the payload follows. A chunk whose magic is 0 was reserved and never used.
struct mt_chunk_header {
    uint32_t magic;
    uint16_t kind;    // enum mt_chunk_kind
    uint16_t sealed;  // 1: complete, checksum valid
    uint32_t index;   // position in the file, 0 = the first chunk
    uint32_t lane;    // event chunks: the append log this chunk continues
    uint32_t used;    // payload bytes published
    uint32_t records; // timed records or definitions published
    uint64_t base_time_ns;
    uint64_t checksum; // mt_chunk_checksum() in checksum.h, when sealed
    uint64_t padding[3];
};

/*
 * Records. The first byte is the type. Types below MT_RECORD_EXTENDED are compact: their fields follow at once. All
 * others carry a varint length (of what follows it) behind the type. Fields are varints unless said otherwise. A
 * `stack` is the node id of its innermost frame; ids are 32 bits wide.
 */
enum mt_record {
    // Compact, in event chunks. Time is a delta in ns to the previous timed record (never negative).
    MT_RECORD_THREAD = 0x01, // tid varint: the records that follow are of this thread
    MT_RECORD_SCOPE = 0x02,  // context varint, stream handle varint: those of the records that follow
    MT_RECORD_ALLOC = 0x03,  // time, api, address zigzag delta, bytes zigzag delta, stack
    MT_RECORD_FREE = 0x04,   // time, api, address zigzag delta, stack
    MT_RECORD_LAUNCH = 0x05, // time, api, launch, stack
    MT_RECORD_LOST = 0x06,   // count varint: so many events of this lane could not be stored before this point
    MT_RECORD_AGAIN = 0x07,  // time, site, address zigzag delta (to the previous record's)
    MT_RECORD_SAME = 0x08,   // time, site: the site's address

    MT_RECORD_EXTENDED = 0x40,

    // Extended, in event chunks: time, api, stack (varints), then (tag varint, value varint) pairs to the end.
    MT_RECORD_EVENT = 0x40, // effect varint (enum mt_effect) stands before time

    // Extended, in definition chunks. Every id is a varint, counted from 1 per kind; 0 means none.
    MT_RECORD_STRING = 0x80, // id, bytes to the end (no terminator)
    MT_RECORD_MODULE =
        0x81, // id, start, end, load bias (ELF address + bias = run-time address), path string, build-id bytes
    MT_RECORD_MODULE_GONE = 0x82,  // id: unmapped; nodes defined after this do not mean it
    MT_RECORD_NATIVE_FRAME = 0x83, // node id, parent node, return address (zigzag delta to the previous in this chunk)
    MT_RECORD_PYTHON_FRAME = 0x84, // node id, parent node, code id, line
    MT_RECORD_CODE = 0x85,         // code id, function name string, file string, first line
    MT_RECORD_API = 0x86,          // api id, default effect, memory kind, name string
    MT_RECORD_KERNEL = 0x87,       // kernel id, name string (mangled as the driver gives it)
    MT_RECORD_LAUNCH_SHAPE = 0x88, // launch id, kernel, grid x y z, block x y z, dynamic shared bytes
    MT_RECORD_CONTEXT = 0x89,      // context id, device ordinal
    MT_RECORD_DEVICE = 0x8a,       // ordinal, total memory bytes, name string, 16 bytes uuid
    MT_RECORD_FACT = 0x8b,         // key string, value string: command, host, rank … of the process
    MT_RECORD_THREAD_NAME = 0x8c,  // tid, name string
};

/*
 * What an event did. An API has one default effect; MT_RECORD_EVENT names its own, since one call can do different
 * things (a failed allocation is FAILED, a captured one is CAPTURED).
 */
enum mt_effect {
    MT_EFFECT_NONE = 0,
    MT_EFFECT_ALLOCATED = 1,       // ADDRESS or OBJECT, BYTES
    MT_EFFECT_FREED = 2,           // ADDRESS or OBJECT
    MT_EFFECT_LAUNCHED = 3,        // LAUNCH
    MT_EFFECT_FAILED = 4,          // RESULT, and what was asked for: BYTES, ADDRESS
    MT_EFFECT_CONTEXT_CREATED = 5, // CONTEXT (device from its definition)
    MT_EFFECT_CONTEXT_ENDED = 6,   // CONTEXT: all its memory is gone
    MT_EFFECT_DEVICE_RESET = 7,    // DEVICE: the primary context's memory is gone
    MT_EFFECT_SAMPLED = 8,         // DEVICE, USED, TOTAL, SAMPLE_SOURCE: memory in use, measured after the call
    MT_EFFECT_RESERVED = 9,        // address range: ADDRESS, BYTES (no physical memory)
    MT_EFFECT_UNRESERVED = 10,
    MT_EFFECT_MAPPED = 11,       // ADDRESS, BYTES, OBJECT, OFFSET
    MT_EFFECT_UNMAPPED = 12,     // ADDRESS, BYTES
    MT_EFFECT_RETAINED = 13,     // OBJECT: one reference more
    MT_EFFECT_RELEASED = 14,     // OBJECT: one reference fewer; memory goes with the last reference and mapping
    MT_EFFECT_POOL_CREATED = 15, // POOL, DEVICE
    MT_EFFECT_POOL_DESTROYED = 16,
    MT_EFFECT_POOL_SAMPLED = 17, // POOL, POOL_RESERVED, POOL_USED
    MT_EFFECT_POOL_CHANGED = 18, // POOL, ATTRIBUTE, VALUE
    MT_EFFECT_IMPORTED = 19,     // ADDRESS or OBJECT, BYTES: another process's memory, not owned
    MT_EFFECT_EXPORTED = 20,     // ADDRESS or OBJECT: a handle may keep it alive elsewhere
    MT_EFFECT_CLOSED = 21,       // an import ended
    MT_EFFECT_LOADED = 22,       // MODULE object: code loaded
    MT_EFFECT_UNLOADED = 23,
    MT_EFFECT_CAPTURED = 24,      // asked for while a stream captures: nothing allocated yet. ADDRESS, BYTES, GRAPH
    MT_EFFECT_GRAPH = 25,         // GRAPH, and what happened: ATTRIBUTE (enum mt_graph_step)
    MT_EFFECT_RANGE_PUSHED = 26,  // TEXT, DOMAIN: NVTX, this thread; with a stack where XLA compiles
    MT_EFFECT_RANGE_POPPED = 27,  // DOMAIN
    MT_EFFECT_RANGE_STARTED = 28, // TEXT, DOMAIN, RANGE id: NVTX, process
    MT_EFFECT_RANGE_ENDED = 29,   // RANGE id
    MT_EFFECT_MARKED = 30,        // TEXT, DOMAIN
    MT_EFFECT_OUT_OF_MEMORY = 31, // an allocator's report: BYTES asked, ALLOCATED, ALLOCATOR_RESERVED
    MT_EFFECT_HANDED_OVER = 32,   // the feed changed: TEXT says from, to and why
    MT_EFFECT_MULTICAST = 33,     // OBJECT, BYTES …
    MT_EFFECT_NOTE = 34,          // TEXT: something a reader of the report should know
    MT_EFFECT_NAMED = 35,         // ADDRESS or OBJECT, TEXT: what the program calls this memory
    MT_EFFECT_BACKWARD = 36, // the stack called backward(), which PyTorch then runs on threads without Python frames
    MT_EFFECT_BACKWARD_ENDED = 37, // this thread's last backward() returned, or threw
    MT_EFFECT_POOL_CURRENT = 38,   // POOL, DEVICE: allocations that name no pool come out of this one from now on
    MT_EFFECT_MIGRATED = 39, // ADDRESS, BYTES: managed memory was told to move to DEVICE or, without one, to the host
};

// Which memory an API deals in; decides the ledger (device, allocator, host) in the report.
enum mt_memory {
    MT_MEMORY_NONE = 0,
    MT_MEMORY_DEVICE = 1,      // cuMemAlloc: physical ledger
    MT_MEMORY_PITCHED = 2,     // physical
    MT_MEMORY_MANAGED = 3,     // host ledger (it migrates)
    MT_MEMORY_POOL = 4,        // cuMemAllocAsync: allocator ledger, inside a pool's reservation
    MT_MEMORY_ARRAY = 5,       // physical
    MT_MEMORY_PHYSICAL = 6,    // cuMemCreate: physical
    MT_MEMORY_ADDRESS = 7,     // cuMemAddressReserve: no memory
    MT_MEMORY_PINNED = 8,      // host
    MT_MEMORY_REGISTERED = 9,  // host
    MT_MEMORY_IMPORTED = 10,   // not owned
    MT_MEMORY_GRAPH = 11,      // physical, owned by graphs
    MT_MEMORY_TENSOR = 12,     // a block of a framework's caching allocator: allocator ledger
    MT_MEMORY_TENSOR_CPU = 13, // the framework's CPU and pinned blocks: labelled, never mixed in
};

// Tags of MT_RECORD_EVENT. Values are varints; text is a string id.
enum mt_tag {
    MT_TAG_ADDRESS = 1,
    MT_TAG_BYTES = 2,   // as asked for
    MT_TAG_TAKEN = 3,   // bytes really taken, where they differ and are known
    MT_TAG_RESULT = 4,  // CUresult
    MT_TAG_DEVICE = 5,  // ordinal, where it is not the context's
    MT_TAG_CONTEXT = 6, // context id
    MT_TAG_OBJECT = 7,  // a handle: array, VMM allocation, import …
    MT_TAG_OFFSET = 8,
    MT_TAG_POOL = 9, // pool handle
    MT_TAG_POOL_RESERVED = 10,
    MT_TAG_POOL_USED = 11,
    MT_TAG_USED = 12, // device memory in use, bytes
    MT_TAG_TOTAL = 13,
    MT_TAG_SAMPLE_SOURCE = 14, // enum mt_sample_source
    MT_TAG_TEXT = 15,
    MT_TAG_DOMAIN = 16, // string id of the NVTX domain's name, absent for the default one
    MT_TAG_RANGE = 17,
    MT_TAG_LAUNCH = 18,
    MT_TAG_KERNEL = 19,
    MT_TAG_GRAPH = 20,
    MT_TAG_ATTRIBUTE = 21,
    MT_TAG_VALUE = 22,
    MT_TAG_ALLOCATED = 23, // a framework allocator's own figure after the event
    MT_TAG_ALLOCATOR_RESERVED = 24,
    MT_TAG_MEMORY = 25, // enum mt_memory, where it is not the API's
    MT_TAG_FLAGS = 26,
    MT_TAG_END_TIME = 27, // ns after the event's time at which the call returned
    MT_TAG_BEFORE = 28,   // SAMPLED: device memory in use at the sample before, bytes
    MT_TAG_LOCATION = 29, // VMM location type (CUmemLocationType)
    MT_TAG_CATEGORY = 30,
    MT_TAG_COUNT = 31,
};

enum mt_sample_source {
    MT_SAMPLE_DEVICE = 1,  // cuMemGetInfo: everything on the device, all processes
    MT_SAMPLE_PROCESS = 2, // NVML's figure for this process alone; VALUE, if given: everything on the device, then
};

enum mt_graph_step {
    MT_GRAPH_INSTANTIATED = 1,
    MT_GRAPH_UPLOADED = 2,
    MT_GRAPH_LAUNCHED = 3,
    MT_GRAPH_EXEC_DESTROYED = 4,
    MT_GRAPH_DESTROYED = 5,
    MT_GRAPH_TRIMMED = 6,
};

#endif
