/*
 * PyTorch's autograd nodes by the names of their C++ functions. Called by stacks.c.
 */
#ifndef MEMTRACE_VIEWER_FRAMEWORKS_AUTOGRAD_H
#define MEMTRACE_VIEWER_FRAMEWORKS_AUTOGRAD_H

#include <stdbool.h>
#include <stddef.h>

#define MT_AUTOGRAD_NODE_BYTES 96

// "torch::autograd::generated::MmBackward0::apply" → "MmBackward0"; false for a function that is no node's.
bool mt_autograd_node(const char *function, char node[MT_AUTOGRAD_NODE_BYTES]);

#endif
