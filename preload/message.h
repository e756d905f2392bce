/*
 * What the tracer says to the user of a program that is not its own: single lines on stderr, each starting with
 * "memtrace: ", a few in a process's life at most, none with MEMTRACE_QUIET set. errno is kept.
 */
#ifndef MEMTRACE_PRELOAD_MESSAGE_H
#define MEMTRACE_PRELOAD_MESSAGE_H

// Reads MEMTRACE_QUIET; before the first message.
void mt_message_learn(void);

void mt_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Not one of those few, for what must not be missed. The caller sees to it that it is said once.
void mt_message_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
