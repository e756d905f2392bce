/*
 * How much a trace may take where nobody has said it: a share of the room that there is when it begins, so that it
 * fills neither the volume of a program's checkpoints nor, on a file system in memory, what a container may use.
 */
#ifndef MEMTRACE_TRACER_ROOM_H
#define MEMTRACE_TRACER_ROOM_H

#include <stdint.h>

// For the file that is open as `fd`, in bytes; 0: not known.
uint64_t mt_room_share(int fd);

// Memory that this process may still use, in bytes, as the system and its control groups say; UINT64_MAX when they
// don't. `root` stands before the paths of /proc and /sys: "" except in tests.
uint64_t mt_room_memory(const char *root);

#endif
