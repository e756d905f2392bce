/*
 * What the library learned about itself and its process when it was loaded.
 */
#ifndef MEMTRACE_PRELOAD_LOADING_H
#define MEMTRACE_PRELOAD_LOADING_H

#include <stdbool.h>

// Learns it, and puts this library's path into CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH unless there is somebody
// else's. Once, by the constructor.
void mt_loading_learn(void);

// A name that this library exports, for its copies to know each other by.
#define MT_LOADING_MARK "memtrace_library"

// Whether another copy of this library comes first in the process: then this one stands aside, and its hooks let all
// calls pass.
bool mt_loading_is_second(void);

// Whether the function at the address is this library's, or another copy's.
bool mt_loading_is_memtrace(const void *address);

// Absolute path of this library, if the loader could tell.
const char *mt_library_path(void);

// The working directory when the library was loaded; "." if it could not be read.
const char *mt_load_directory(void);

// The value that was in CUDA_INJECTION64_PATH or NVTX_INJECTION64_PATH instead of ours; NULL when it is ours.
const char *mt_foreign_cuda_injection(void);
const char *mt_foreign_nvtx_injection(void);

#endif
