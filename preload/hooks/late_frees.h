/*
 * Memory that is freed too late: static destructors call the CUDA runtime after it has shut down at exit. It answers
 * cudaErrorCudartUnloading by itself, so no hook of the driver sees the call.
 */
#ifndef MEMTRACE_PRELOAD_HOOKS_LATE_FREES_H
#define MEMTRACE_PRELOAD_HOOKS_LATE_FREES_H

// Puts hooks in front of the shared runtime's functions that free, in all objects that call them. For the beginning of
// exit: until then the driver's hooks see every free. Takes the loader's lock.
void mt_late_frees_watch(void);

#endif
