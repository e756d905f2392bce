/*
 * NVTX, as the program annotates itself: which range is open on a thread? A range whose text tells a tensor's shape is
 * a label of what is allocated in it; all others are *marks*, the phases of the program. Kept by the model.
 */
#ifndef MEMTRACE_VIEWER_MARKS_H
#define MEMTRACE_VIEWER_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "tracer/reader.h"
#include "viewer/definitions.h"

// Ranges deeper than this on one thread are taken for pushes whose pops were lost.
#define MT_MARK_DEPTH 256

struct mt_thread_marks;
struct mt_process_range;

struct mt_marks {
    struct mt_thread_marks *threads;  // by thread
    struct mt_process_range *started; // open ranges of the whole process, the latest first
};

// String ids; 0: none.
struct mt_mark {
    uint32_t phase; // the innermost open range that is no label; else the thread's last mark
    uint32_t label; // the innermost open range of all, if it is a label
};

void mt_marks_apply(struct mt_marks *marks, const struct mt_definitions *definitions,
                    const struct mt_record_event *event);
struct mt_mark mt_marks_now(const struct mt_marks *marks, uint32_t thread);
// The texts of the ranges open on a thread that are no labels, innermost first, then of those of the process. How many.
size_t mt_marks_open(const struct mt_marks *marks, uint32_t thread, uint32_t *texts, size_t room);
void mt_marks_clear(struct mt_marks *marks);

#endif
