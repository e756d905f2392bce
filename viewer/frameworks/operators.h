/*
 * PyTorch's operators, as torch.autograd.profiler.emit_nvtx writes them into the text of ranges, several deep:
 * "aten::add, seq = 12, op_id = 7, sizes = [[64, 1024], []], input_op_ids = [(5,0), (-1,-1)]". The sizes are those of
 * the inputs, and there with record_shapes only. Called by marks.c and shape.c.
 */
#ifndef MEMTRACE_VIEWER_FRAMEWORKS_OPERATORS_H
#define MEMTRACE_VIEWER_FRAMEWORKS_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

// How many bytes at the beginning of the text are the operator's name; 0: the text is no operator's.
size_t mt_operator_name(const char *text);

// The brackets with all sizes, from the outer one to behind its partner; NULL: the text has none.
const char *mt_operator_sizes(const char *text, const char **end);

// Whether it makes the memory in which another operator, its caller, then works: aten::empty_strided.
bool mt_operator_only_allocates(const char *text);

// Whether what it makes has, as a rule, another shape than its inputs: aten::cat, aten::max_pool2d.
bool mt_operator_reshapes(const char *text);

#endif
