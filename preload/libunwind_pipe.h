/*
 * libunwind probes addresses by writing from them into a pipe that it opens at its first use. A program that closes
 * every descriptor closes that, too; what it opens next gets those numbers, and libunwind would write into it, read
 * from it and, finding it broken, close it. So it is asked before each use whether the pipe is still there. Used by
 * unwind.c.
 */
#ifndef MEMTRACE_PRELOAD_LIBUNWIND_PIPE_H
#define MEMTRACE_PRELOAD_LIBUNWIND_PIPE_H

#include <stdbool.h>

// Call before libunwind's first use, and after it: what pipe has come in between is its.
void mt_libunwind_pipe_before(void);
void mt_libunwind_pipe_after(void);

// False once the pipe has gone, for ever. True where it was never found. Two system calls; changes errno.
bool mt_libunwind_pipe_intact(void);

#endif
