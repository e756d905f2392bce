/*
 * Keys of the facts (MT_RECORD_FACT) that the traced process writes about itself: the vocabulary between preload/ and
 * viewer/. Values are text. A key that could not be found out is absent. Where a key is written twice, the later
 * value counts, unless said otherwise.
 */
#ifndef MEMTRACE_TRACER_FACTS_H
#define MEMTRACE_TRACER_FACTS_H

// The process, written when the trace begins.
#define MT_FACT_COMMAND    "command"    // argv joined by spaces; arguments with spaces or quotes in single quotes
#define MT_FACT_EXECUTABLE "executable" // absolute path of /proc/self/exe
#define MT_FACT_DIRECTORY  "directory"  // working directory when the library was loaded
#define MT_FACT_HOST       "host"       // gethostname
#define MT_FACT_PID        "pid"        // decimal; MT_FACT_PARENT likewise
#define MT_FACT_PARENT     "parent"
#define MT_FACT_USER       "user" // effective user id, decimal

// Ranks, from the first of torchrun (RANK…), Slurm (SLURM_PROCID…), Open MPI (OMPI_COMM_WORLD_RANK…) that is set.
#define MT_FACT_RANK       "rank"            // decimal
#define MT_FACT_LOCAL_RANK "local-rank"      // decimal
#define MT_FACT_WORLD_SIZE "world-size"      // decimal
#define MT_FACT_LAUNCHER   "launcher"        // "torchrun", "slurm" or "openmpi"
#define MT_FACT_VISIBLE    "visible-devices" // CUDA_VISIBLE_DEVICES as set

// The software.
#define MT_FACT_VERSION         "memtrace"        // our version
#define MT_FACT_DRIVER          "driver"          // the kernel driver, as "580.159.03"
#define MT_FACT_CUDA            "cuda"            // what the driver supports, as "13.0"
#define MT_FACT_CUPTI           "cupti"           // path of the libcupti in use
#define MT_FACT_PYTHON          "python"          // version, when frames of it are read
#define MT_FACT_PYTHON_DECLINED "python-declined" // why stacks have no Python frames, although there is a Python
#define MT_FACT_TORCH           "torch-reporter"  // the c10 symbol that is interposed

// How the trace was made.
#define MT_FACT_ATTACHED    "attached" // "preload", or "injection": the driver loaded us, and no symbol is interposed
#define MT_FACT_FEED        "feed"     // "cupti", "hooks" or "both (cupti recorded)"; a change is a HANDED_OVER event
#define MT_FACT_FEED_REASON "feed-reason" // why not the one that was asked for, or is the default
#define MT_FACT_FEED_LOST   "feed-lost"   // why the feed ended before the process did: later events are missing
#define MT_FACT_UNSEEN      "unseen"      // hooks: by what it shows that calls went past them
#define MT_FACT_UNWINDER    "unwinder"    // "unwind tables", and whether some stacks ended early
#define MT_FACT_STACK_DEPTH "stack-depth" // frames kept at most, "0" when off
#define MT_FACT_ENDED       "ended"       // "exit" or "quick_exit"; absent when the process ended in another way

// What the feeds leave out on purpose, "cuEventCreate*: why": written many times, once for each.
#define MT_FACT_DECLINED "declined"

// MEMTRACE_FEED=both, at the end: calls only one of the two feeds saw, decimal.
#define MT_FACT_ONLY_CUPTI "only-cupti"
#define MT_FACT_ONLY_HOOKS "only-hooks"

#endif
