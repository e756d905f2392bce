/*
 * Call stacks that continue on another thread. Libraries work on threads of their own (callers.h), whose stacks hold no
 * line of the program; such a stack is *joined* onto that of the thread that called for it, and is then a stack like
 * any other. Its nodes have numbers above those of the trace. Each pair of stacks is joined once; called by
 * definitions.c.
 */
#ifndef MEMTRACE_VIEWER_TRACE_CROSS_THREAD_H
#define MEMTRACE_VIEWER_TRACE_CROSS_THREAD_H

#include <stdint.h>

struct mt_definitions;
struct mt_cross_thread;

struct mt_cross_thread *mt_cross_thread_new(void);
void mt_cross_thread_free(struct mt_cross_thread *joined);

// The stack's node above the caller's; `first` is the number of the first cross-thread stack.
uint32_t mt_cross_thread_make(struct mt_cross_thread *joined, const struct mt_definitions *definitions, uint32_t first,
                              uint32_t stack, uint32_t caller);

// The node of a cross-thread stack, counted from 0, or NULL.
const struct mt_node *mt_cross_thread_node(const struct mt_cross_thread *joined, uint32_t number);
uint32_t mt_cross_thread_count(const struct mt_cross_thread *joined);

#endif
