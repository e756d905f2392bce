/*
 * What the tracer says to the user of a program that is not its own: single lines on stderr, each starting with
 * "memtrace: ", a few in a process's life at most, none with MEMTRACE_QUIET set. errno is kept.
 */
#ifndef MEMTRACE_PRELOAD_MESSAGE_H
#define MEMTRACE_PRELOAD_MESSAGE_H

void mt_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
