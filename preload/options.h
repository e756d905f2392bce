/*
 * The MEMTRACE_* environment. A value that makes no sense costs one warning and means the default: a tracer that stops
 * the program over a typing error would be worse than one that records a little differently.
 */
#ifndef MEMTRACE_PRELOAD_OPTIONS_H
#define MEMTRACE_PRELOAD_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mt_feed { MT_FEED_AUTO, MT_FEED_CUPTI, MT_FEED_HOOKS, MT_FEED_BOTH };

struct mt_options {
    char path[PATH_MAX];  // MEMTRACE_OUT, expanded, absolute; default trace.bin in the working directory at load time
    enum mt_feed feed;    // MEMTRACE_FEED=auto|cupti|hooks|both, default auto
    bool launch_stacks;   // MEMTRACE_LAUNCH_STACKS=1: call stacks of launches too, default 0
    bool arguments;       // MEMTRACE_ARGUMENTS=0: the command line without them, default 1
    uint64_t max_bytes;   // MEMTRACE_MAX_SIZE: of the trace; 0 none, default MT_MAX_BY_ROOM of trace.h
    unsigned stack_depth; // MEMTRACE_STACKS=1…MT_STACK_DEPTH_MAX or off (0), default 128
};

// Reads the environment, and warns of misspelt names in it. `directory` is where a relative path starts. 0, or
// -ENAMETOOLONG for a path that is too long.
int mt_options_read(struct mt_options *options, const char *directory);

// Expands %p (pid), %r (rank), %h (host) and %% of `pattern` into `path`; other % sequences stay as they are. A process
// without a rank has its pid for one: a launcher must not take the name of rank 0.
// 0 or -ENAMETOOLONG.
int mt_options_expand(const char *pattern, const char *directory, char *path, size_t path_bytes);

// The value of the first rank variable that is set, among those of torchrun, Slurm and Open MPI; NULL without one.
// `what`: 0 rank, 1 local rank, 2 world size. *launcher, if wanted, becomes "torchrun", "slurm" or "openmpi".
enum mt_rank_value { MT_RANK, MT_LOCAL_RANK, MT_WORLD_SIZE };
const char *mt_rank_variable(enum mt_rank_value what, const char **launcher);

#endif
