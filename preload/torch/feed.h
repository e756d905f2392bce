/*
 * The PyTorch feed: what its caching allocators hand out and take back, seen through the two functions by which they
 * report to torch's profiler. libc10_cuda calls them through the dynamic linker at every block, profiler on or off, so
 * ours stand in front (preloaded) and pass every call on.
 *
 * A block is ALLOCATED and FREED in MT_MEMORY_TENSOR (a CUDA device's) or MT_MEMORY_TENSOR_CPU. With it comes torch's
 * own account: bytes allocated and reserved on that device. Those follow from the events nearly always; so they are
 * written only where they do not: POOL_SAMPLED with MEMORY (TENSOR), DEVICE, ALLOCATED, ALLOCATOR_RESERVED when the
 * reserved figure has changed, or the allocated one is not the last one written plus what came and went since.
 * A report of no memory left is OUT_OF_MEMORY with BYTES, DEVICE, ALLOCATED, ALLOCATOR_RESERVED.
 *
 * They run under the allocator's mutex, which other threads wait for while they hold the GIL: no GIL, no CUDA call.
 */
#ifndef MEMTRACE_PRELOAD_TORCH_FEED_H
#define MEMTRACE_PRELOAD_TORCH_FEED_H

// Finds torch's own functions if it is loaded. Takes the loader's lock: when the session starts, and when libraries
// have come since.
void mt_torch_look(void);

// Its part in torch/backward.c.
void mt_torch_backward_look(void);

#endif
