/*
 * The device memory that all graphs of a device share: read from the driver after the calls that can change it, and
 * written as allocations and frees of MT_MEMORY_GRAPH. All functions run under the guard.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_GRAPH_MEMORY_H
#define MEMTRACE_PRELOAD_EFFECTS_GRAPH_MEMORY_H

#include "preload/call.h"

// Some graph allocates on the device: from now on mt_graph_memory_look asks about it. Before, it costs one load.
void mt_graph_memory_expected(CUdevice device);

// Reads the figures of those devices and writes what changed as effects of `call`.
void mt_graph_memory_look(const struct mt_call *call);

// The device was reset, which the report knows: start from zero.
void mt_graph_memory_reset(CUdevice device);

#endif
