/*
 * The NVTX feed: the program's own annotations, which are the report's checkpoints.
 *
 * Every library that embeds NVTX initialises it for itself, at its first annotation: it loads what
 * NVTX_INJECTION64_PATH names and calls the two functions below, which put our callbacks into its tables. So they run
 * several times in a process, often before there is a CUDA context and a trace, and in processes that never have one.
 */
#ifndef MEMTRACE_PRELOAD_NVTX_FEED_H
#define MEMTRACE_PRELOAD_NVTX_FEED_H

#include "preload/nvtx/extension.h"
#include "preload/nvtx/text.h"

// Environment: the tool that NVTX_INJECTION64_PATH named before we put ourselves there. It gets every call too, but
// those of extensions.
#define MT_NVTX_NEXT_VARIABLE "MEMTRACE_NVTX_NEXT"

// For the constructor, where NVTX_INJECTION64_PATH names another tool: puts `ours` there instead, and `theirs` into
// MT_NVTX_NEXT_VARIABLE, also for the process's children.
void mt_nvtx_chain(const char *theirs, const char *ours);

// For the NVTX loader, exported. 1, or 0 where the tables are not those we know: then NVTX stays off.
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);

// Called under the guard when a thread has got its stream: writes what it had opened before.
void mt_nvtx_thread_attached(void);

#endif
