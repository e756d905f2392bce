/*
 * Small traces for the viewer's tests, written event by event through tracer/trace.h. Frames are Python ones, since
 * those carry their place themselves: a test then knows every name and line, whatever the compiler did. Times are
 * microseconds since the trace's beginning, counted up by one an event.
 */
#ifndef MEMTRACE_TESTS_SCRIPTS_H
#define MEMTRACE_TESTS_SCRIPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/trace_files.h"
#include "tracer/trace.h"
#include "viewer/analysis/by.h"
#include "viewer/analysis/report.h"

#define MIB ((uint64_t)1 << 20)

struct script {
    char *path;
    struct mt_trace *trace;
    struct mt_lane *streams[4]; // by thread, 1000 + its index
    uint64_t start_ns, events;
    unsigned thread;  // whose events are written now
    uint32_t context; // of the events written now
    uint64_t cuda_stream;
    uint32_t malloc_api, free_api, async_api, pinned_api, pinned_free_api, tensor_api, tensor_free_api, create_api,
        reserve_api, map_api, unmap_api, release_api;
};

// A trace in the test's folder; knows two devices of 16 GiB, context 1 on device 0 and 2 on device 1.
struct script *script_begin(void **state);

// A call stack, innermost first, frames as "function file:line", NULL at the end.
uint32_t script_stack(struct script *script, const char *innermost, ...);

void script_alloc(struct script *script, uint32_t api, uint64_t address, uint64_t bytes, uint32_t stack);
void script_free(struct script *script, uint32_t api, uint64_t address, uint32_t stack);
// An event with up to four tags: pairs of tag and value, tag 0 at the end.
void script_event(struct script *script, enum mt_effect effect, uint32_t api, uint32_t stack, ...);

// Ends the trace and opens it for reporting, with default options. script_close ends both and frees all.
struct mt_report *script_report(struct script *script);
void script_close(struct script *script);
extern struct mt_options script_options; // of the next script_report; reset by script_begin

// What a view prints; the caller frees it.
char *script_show(struct mt_report *report, void (*show)(struct mt_report *report, FILE *out));

#endif
