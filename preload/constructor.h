/*
 * What the library learned about itself when it was loaded.
 */
#ifndef MEMTRACE_PRELOAD_CONSTRUCTOR_H
#define MEMTRACE_PRELOAD_CONSTRUCTOR_H

// Absolute path of this library; "" if the loader could not tell.
const char *mt_library_path(void);

// The working directory when the library was loaded; "." if it could not be read.
const char *mt_load_directory(void);

// The value that was in CUDA_INJECTION64_PATH or NVTX_INJECTION64_PATH instead of ours; NULL when it is ours.
const char *mt_foreign_cuda_injection(void);
const char *mt_foreign_nvtx_injection(void);

#endif
