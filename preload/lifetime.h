/*
 * Beginning and end of the session: the one place that knows all parts of the preloaded library, and sets them to work
 * in their order. Called by the injection entry points, and when the process exits.
 */
#ifndef MEMTRACE_PRELOAD_LIFETIME_H
#define MEMTRACE_PRELOAD_LIFETIME_H

#include <stdbool.h>

// Starts the session unless there is or was one in this process; it is never restarted. False when there is none to
// record into. A second thread that comes in meanwhile is not made to wait.
bool mt_session_start(void);

// Seals the trace; `how` is the value of MT_FACT_ENDED. Later events are dropped. No CUDA call, no loader lock.
void mt_session_end(const char *how);

#endif
