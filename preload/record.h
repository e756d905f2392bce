/*
 * From a finished call to records: fills in what every event carries (time, api, stack, context, stream) and writes it
 * to the calling thread's stream. Effect functions use nothing else to write. All run under the guard.
 */
#ifndef MEMTRACE_PRELOAD_RECORD_H
#define MEMTRACE_PRELOAD_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "preload/call.h"
#include "tracer/trace.h"

// An effect is stamped before the real call when it gives something back, after it when it takes something: then a
// reused address is freed before it is allocated again, whichever threads do it.
enum mt_when { MT_BEFORE_CALL, MT_AFTER_CALL };

void mt_record_alloc(const struct mt_call *call, CUstream stream, uint64_t address, uint64_t bytes);
void mt_record_free(const struct mt_call *call, CUstream stream, uint64_t address);
void mt_record_launch(const struct mt_call *call, CUstream stream, uint32_t launch);
void mt_record_effect(const struct mt_call *call, enum mt_effect effect, enum mt_when when, CUstream stream,
                      const struct mt_tagged *tags, size_t tag_count);

// UNMAPPED: a window of `bytes` at `address` is closed.
void mt_record_unmapped(const struct mt_call *call, CUstream stream, uint64_t address, uint64_t bytes);

// FAILED of a function that is no row of the entry table: `api` is its id in the trace (mt_define_api).
void mt_record_late_free(uint32_t api, uint64_t address, uint64_t result);

// What a call did, or FAILED with the first tag: for calls whose tags hold no out-parameters.
void mt_record_outcome(const struct mt_call *call, enum mt_effect effect, enum mt_when when,
                       const struct mt_tagged *tags, size_t tag_count);

// FAILED with the call's result and, in `tag`, what was asked for.
void mt_record_failed(const struct mt_call *call, CUstream stream, enum mt_tag tag, uint64_t value);

#endif
