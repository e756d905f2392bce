/*
 * SIGBUS: raised when the recorder stores to a page of the trace that somebody has cut off. It is answered here and the
 * program does not notice; every other SIGBUS is the program's, whose handler, or lack of one, counts as before.
 */
#ifndef MEMTRACE_PRELOAD_BUS_ERROR_H
#define MEMTRACE_PRELOAD_BUS_ERROR_H

// Puts our handler before the program's. Once, when the session starts and before anything is stored.
void mt_bus_error_start(void);

// In a forked child, in which nobody else holds the lock of these.
void mt_bus_error_forked(void);

#endif
