/*
 * The version of memtrace, said here alone. The trace's format has one of its own (format.h).
 */
#ifndef MEMTRACE_TRACER_VERSION_H
#define MEMTRACE_TRACER_VERSION_H

#define MEMTRACE_VERSION "1.0.0"

#endif
