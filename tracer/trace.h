/*
 * Recording: the one facade between whoever sees events (preload/, tests) and the trace file (format.h).
 *
 * A trace is one open file. A lane is an append position in it that one thread owns at a time; records appended to a
 * lane become readable at once and survive SIGKILL. Nothing here knows CUDA, allocates with malloc, or takes a lock
 * on the event path; definitions take one short internal lock, under which no foreign code runs.
 *
 * Loss (a full disk) is never an error of the caller: it is counted in the header and marked in the lane.
 * After fork, the child's copy of a trace is inert: every call returns without effect (MADV_WIPEONFORK).
 */
#ifndef MEMTRACE_TRACER_TRACE_H
#define MEMTRACE_TRACER_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/clock.h"
#include "tracer/format.h"

struct mt_trace;
struct mt_lane;

#define MT_NAME_BYTES (PATH_MAX + 64) // a path, with what is put into its last part

#define MT_MAX_BY_ROOM UINT64_MAX // room.h

struct mt_trace_wish {
    const char *path;
    // The processes that one command has started know each other by `family`, the same in all of them, and by how many
    // of them there are above; 0, 0: alone.
    uint64_t family;
    uint32_t level;
    uint64_t since_ns; // mt_now_ns() when this program began; one that exec starts has those before it not below itself
    uint64_t max_bytes; // what the file may grow to; 0: as far as there is room; MT_MAX_BY_ROOM: a share of that
    bool late;          // the name is taken when the first event comes, until then it is that of a sibling
};

// Creates the trace. A finished one of another family in its place becomes `path`.old. One of the same family below us
// gives way and becomes a sibling, which has the pid before the suffix; beside any other that is live (held by flock)
// or of the same family we become one. 0, or -errno with nothing left behind: -EEXIST where `path` is no trace. Not
// thread-safe with itself.
int mt_trace_create_as(const struct mt_trace_wish *wish, struct mt_trace **out);
// Alone, and at once.
int mt_trace_create(const char *path, struct mt_trace **out);

// The path really written, valid as long as the trace.
const char *mt_trace_path(const struct mt_trace *trace);

// Seals everything, trims the file and marks it finished. Streams that other threads still own are sealed as they
// stand; later appends to them are dropped and counted (in the file too, if it is mapped). The handle stays valid for
// ever: threads may be inside it. Takes the locks, so it is not for a handler of a fatal signal: what was recorded is
// in the file without it.
void mt_trace_finish(struct mt_trace *trace);

// Whether anything happened: an event was stored, or lost.
bool mt_trace_has_events(const struct mt_trace *trace);

// Instead of mt_trace_finish, for a trace in which nothing happened: the file goes, too.
void mt_trace_discard(struct mt_trace *trace);

// A lane for the calling thread. NULL when no memory is left: one event is counted as lost, go on.
struct mt_lane *mt_lane_acquire(struct mt_trace *trace, uint32_t tid);

// Gives the lane back; its open chunk is continued by the next thread that acquires one.
void mt_lane_release(struct mt_lane *lane);

// Gives back the lanes of threads that are gone and did not: some use CUDA after the last thing that the C library
// does for a thread at its end. For callers whose `tid` is what gettid tells. How many have an owner afterwards.
size_t mt_lanes_take_back(struct mt_trace *trace);

// Whether the lane is fit for use after its owner has left a call with it by a jump: it was not in the middle of a
// record. If it was, what is published is good; the lane is to be forgotten, and another acquired.
bool mt_lane_whole(const struct mt_lane *lane);

// What every event carries.
struct mt_event {
    uint64_t time_ns; // mt_now_ns(): before the real call for what frees, after it for what allocates
    uint32_t api;     // mt_define_api()
    uint32_t stack;   // mt_define_stack(); 0: none
    uint32_t context; // mt_define_context(); 0: none
    uint64_t stream;  // CUstream handle, 0: the default stream
};

struct mt_tagged {
    enum mt_tag tag;
    uint64_t value;
};

// The calling thread owns the lane and is not in the middle of another call with it (a signal handler's, say). Events
// may come with a time before the last one's. Of `tags` the first 64 are taken.
void mt_write_alloc(struct mt_lane *lane, const struct mt_event *event, uint64_t address, uint64_t bytes);
void mt_write_free(struct mt_lane *lane, const struct mt_event *event, uint64_t address);
void mt_write_launch(struct mt_lane *lane, const struct mt_event *event, uint32_t launch);
void mt_write_event(struct mt_lane *lane, enum mt_effect effect, const struct mt_event *event,
                    const struct mt_tagged *tags, size_t tag_count);

// Definitions. Each returns an id (> 0), the same for the same thing, or 0 when it could not be stored (counted); asked
// again, it is tried again. Thread-safe. Text is copied, up to 16384 bytes of it. Contexts have no identity here: each
// call makes a new one.
uint32_t mt_define_string(struct mt_trace *trace, const char *text);
uint32_t mt_define_api(struct mt_trace *trace, const char *name, enum mt_effect effect, enum mt_memory memory);
uint32_t mt_define_kernel(struct mt_trace *trace, const char *name);
uint32_t mt_define_context(struct mt_trace *trace, uint32_t device);
void mt_define_device(struct mt_trace *trace, uint32_t ordinal, uint64_t bytes, const char *name,
                      const uint8_t uuid[16]);
void mt_define_fact(struct mt_trace *trace, const char *key, const char *value);
void mt_define_thread_name(struct mt_trace *trace, uint32_t tid, const char *name);

struct mt_launch_shape {
    uint32_t kernel;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t shared_bytes; // dynamic shared memory
};
uint32_t mt_define_launch(struct mt_trace *trace, const struct mt_launch_shape *shape);

// A Python function; `key` identifies the code object in this process more strongly than its address alone (the caller
// mixes in what it read of it). `name`, `file` are only read when the key is new.
uint32_t mt_define_code(struct mt_trace *trace, uint64_t key, const char *name, const char *file, uint32_t first_line);
// The id of a code object already defined under `key`, or 0: lock-free.
uint32_t mt_find_code(struct mt_trace *trace, uint64_t key);

// One frame of a call stack, as the unwinders deliver it.
struct mt_frame {
    uint64_t address; // native: the return address (leaf: the exact pc). Python: code id << 32 | instruction offset
    uint32_t line;    // Python: the line; not part of the identity (the instruction offset is)
    bool python;
};

// The id of a call stack, innermost frame first. Equal stacks have equal ids. A known stack costs one hash over its
// frames and one probe, lock-free; a new one writes its new (parent, frame) nodes.
uint32_t mt_define_stack(struct mt_trace *trace, const struct mt_frame *frames, size_t count);
// As above, lock-free, 0 if it is not known yet: lets a caller that must not block keep away from the slow path.
uint32_t mt_find_stack(struct mt_trace *trace, const struct mt_frame *frames, size_t count);
// Moves on when a module has vanished, and with it what its addresses meant.
uint64_t mt_stacks_epoch(const struct mt_trace *trace);

// Re-reads the list of loaded modules (dl_iterate_phdr, which takes the loader's lock: call with no lock held and never
// from a dlopen-time callback of another thread's). Called by the recorder itself when a new stack holds an address
// outside all known modules; call it after dlclose.
void mt_modules_refresh(struct mt_trace *trace);

// For a forked child, before it does anything else (pthread_atfork): as long as it lives the trace would look like one
// that is still written, although the parent may have been killed.
void mt_trace_forked(struct mt_trace *trace);

// Counts an event that could not be recorded. `error` says why: EINTR for what a signal handler called in the middle of
// recording, or jumped out of.
void mt_trace_lose_event(struct mt_trace *trace, int error);

struct mt_loss {
    uint64_t events;
    uint64_t definitions;
    int error;               // of the first loss, > 0
    enum mt_stopped stopped; // recording has ended for good
    uint64_t max_bytes;      // of the file; 0: no limit
};
struct mt_loss mt_trace_loss(const struct mt_trace *trace);

// Called once, at the first loss, by the thread that met it: within its event, with signals blocked, no lock held. Set
// before anything is recorded.
typedef void mt_loss_listener(const struct mt_trace *trace, const struct mt_loss *loss);
void mt_trace_on_loss(struct mt_trace *trace, mt_loss_listener *listener);

// What became of the wanted name.
struct mt_naming {
    char wanted[PATH_MAX];          // absolute
    bool is_wanted;                 // the trace has it
    bool replaced_old;              // a trace of the same family that was `wanted`.old is gone
    bool pushed_down;               // the trace of `holder_pid` had it and is now `other_path`
    uint32_t holder_pid;            // whose trace was met there; 0: none, or no trace
    char other_path[MT_NAME_BYTES]; // see pushed_down
    bool to_tell;                   // the listener has not been told
};

// As for losses: called once, when the name is taken and there is something to say of it.
typedef void mt_name_listener(const struct mt_trace *trace, const struct mt_naming *naming);
void mt_trace_on_name(struct mt_trace *trace, mt_name_listener *listener);

// For a handler of SIGBUS: whether the fault is that of a trace's file which somebody has cut. Then the store can be
// made again, and goes nowhere; recording stops at the next event. Async-signal-safe.
bool mt_view_rescue(const void *address);

#endif
