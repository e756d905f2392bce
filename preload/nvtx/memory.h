/*
 * NVTX's memory extension (nvToolsExtMem.h): allocators that announce their blocks. Called by nvtx/inject.c.
 *
 * A region is a block of the allocator ledger (MT_MEMORY_TENSOR): ALLOCATED and FREED, with POOL naming the heap it was
 * registered in. A heap is POOL_CREATED (POOL, and ADDRESS, BYTES, TEXT where known); POOL_DESTROYED of a heap frees
 * all its regions. A name given to a region is NAMED (ADDRESS, TEXT).
 */
#ifndef MEMTRACE_PRELOAD_NVTX_MEMORY_H
#define MEMTRACE_PRELOAD_NVTX_MEMORY_H

#include "preload/nvtx/feed.h"

// Fills the extension's function slots. 1, or 0 when it is a version that we don't know.
int mt_nvtx_memory_attach(nvtxExtModuleInfo_t *module);

#endif
