/*
 * A stand-in for the session, the unwinder and the trace writer, for tests of the feeds: what a feed records becomes
 * lines of text, one an event or definition, in the order in which they came.
 *
 *   push nvtxRangePush text=forward domain=net
 *   alloc "torch malloc" 0x1000 512 device=0
 */
#ifndef MEMTRACE_TESTS_FAKES_RECORDER_H
#define MEMTRACE_TESTS_FAKES_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

// Forgets everything; `session` says whether there is a trace to record into.
void fake_recorder_reset(bool session);

// The lines since the reset or the last call, each ended by a newline.
const char *fake_recorder_take(void);

// What an id stands for: a string, an API; "function file" for a code object.
const char *fake_recorder_name(uint32_t id);

#endif
