/*
 * NVTX, as the program annotates itself: which range is open on a thread? A range whose text tells a tensor's shape is
 * a label of what is allocated in it; all others are *marks*, the phases of the program. An operator of PyTorch can be
 * both (operators.h); where it only allocates, it is neither, and its caller counts. Kept by the model.
 */
#ifndef MEMTRACE_VIEWER_MODEL_MARKS_H
#define MEMTRACE_VIEWER_MODEL_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "tracer/reader.h"
#include "viewer/trace/definitions.h"

// Ranges deeper than this on one thread are taken for pushes whose pops were lost.
#define MT_MARK_DEPTH 256

struct mt_thread_marks;
struct mt_process_range;
struct mt_operator_text;

struct mt_marks {
    struct mt_thread_marks *threads;    // by thread
    struct mt_process_range *started;   // open ranges of the whole process, the latest first
    struct mt_operator_text *operators; // by name
};

// String ids; 0: none. For all ranges of one operator of PyTorch, whose texts differ, the same.
struct mt_mark {
    uint32_t phase; // the innermost open range that is a mark; else the thread's last mark, with MT_PHASE_SINCE
    uint32_t label; // the innermost open range that is either, if it is a label
};

void mt_marks_apply(struct mt_marks *marks, const struct mt_definitions *definitions,
                    const struct mt_record_event *event);
struct mt_mark mt_marks_now(const struct mt_marks *marks, uint32_t thread);
// The texts of the ranges open on a thread that are marks, innermost first, then of those of the process. How many.
size_t mt_marks_open(const struct mt_marks *marks, uint32_t thread, uint32_t *texts, size_t room);
void mt_marks_clear(struct mt_marks *marks);

// A phase that a mark began: no range holds what comes after it. Only the bit; the rest is the string id.
#define MT_PHASE_SINCE ((uint32_t)1 << 31)

// How the range or mark of a phase is called in a report; the caller frees it. "outside all ranges" for none.
char *mt_phase_name(const struct mt_definitions *definitions, uint32_t phase);

#endif
