/*
 * Stream capture: while a stream records a graph, calls on it allocate and launch nothing, and the tracer must not call
 * CUDA (except to ask whether a stream captures). The streams that captures began in are remembered until the capture
 * is ended or its stream is gone, whichever way, so that the question costs one load in the usual case of none.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_CAPTURE_H
#define MEMTRACE_PRELOAD_EFFECTS_CAPTURE_H

#include <cuda.h>
#include <stdbool.h>

#include "preload/call.h"

// True while any stream of this process captures.
bool mt_capture_active(void);

// True if this stream captures. `per_thread`: stream 0 is the per-thread default stream.
bool mt_capture_includes(CUstream stream, bool per_thread);

// The graph that a stream captures into; NULL when the driver can't say.
CUgraph mt_capture_graph(CUstream stream, bool per_thread);

// Whether the tracer may ask the driver a question of its own now: not while a stream captures, nor once exit has
// begun.
bool mt_may_ask(void);

// The same for questions about memory. Another thread may begin a capture meanwhile; until mt_ask_end, with the mode
// given here, the question does not invalidate it.
bool mt_ask_begin(CUstreamCaptureMode *mode);
void mt_ask_end(CUstreamCaptureMode mode);

// A jump has left between the two, if this thread was there.
void mt_ask_left(void);

// A context is gone, and with it its streams.
void mt_capture_context_ended(CUcontext context);

// The effect functions of cuStreamBeginCapture…, cuStreamEndCapture and cuStreamDestroy: no record.
mt_effect_fn mt_effect_capture_begin, mt_effect_capture_end, mt_effect_stream_destroy;

#endif
