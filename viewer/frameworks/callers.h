/*
 * For whom does a library's thread work? PyTorch runs backward() on threads of its own, and XLA tries out there the
 * code it compiles: their stacks hold no line of the program. The tracer notes the stack of the thread that called for
 * such work: of backward() in events, of a compilation with the NVTX range that XLA opens around it. Kept by the
 * model.
 */
#ifndef MEMTRACE_VIEWER_FRAMEWORKS_CALLERS_H
#define MEMTRACE_VIEWER_FRAMEWORKS_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/reader.h"
#include "viewer/trace/definitions.h"

#define MT_COMPILATIONS_MAX 8 // at a time; more are not told apart

struct mt_caller {
    uint32_t stack, thread;
};

struct mt_backward {
    struct mt_caller caller;
    uint32_t depth; // what runs on the calling thread itself may call backward() again
};

struct mt_callers {
    struct mt_backward *backwards; // under way, one a thread, the earliest first
    size_t backward_count, backward_capacity;
    struct mt_caller last; // of the backward() that ended last; stack 0: none has
    uint32_t *engines;     // threads that are known as PyTorch's own
    size_t engine_count, engine_capacity;
    struct mt_compilation {
        struct mt_caller caller;
        uint32_t ranges; // open on that thread since; 0: none such
    } compilations[MT_COMPILATIONS_MAX];
};

// Every event in turn, before mt_callers_find is asked about it.
void mt_callers_note(struct mt_callers *callers, const struct mt_definitions *definitions,
                     const struct mt_record_event *event);

// Who called for what the event's thread does; false if nobody did, or it can't be known. While two threads have XLA
// compile, or are in backward() on different lines, it can't.
bool mt_callers_find(const struct mt_callers *callers, const struct mt_definitions *definitions,
                     const struct mt_record_event *event, struct mt_caller *out);

void mt_callers_clear(struct mt_callers *callers);

#endif
