/*
 * Call stacks that continue on another thread. Libraries work on threads of their own (callers.h), whose stacks hold no
 * line of the program; such a stack is *grafted* onto that of the thread that called for it, and is then a stack like
 * any other. Its nodes have numbers above those of the trace. Each pair of stacks is grafted once; called by
 * definitions.c.
 */
#ifndef MEMTRACE_VIEWER_GRAFTS_H
#define MEMTRACE_VIEWER_GRAFTS_H

#include <stdint.h>

struct mt_definitions;
struct mt_grafts;

struct mt_grafts *mt_grafts_new(void);
void mt_grafts_free(struct mt_grafts *grafts);

// The stack's node above the caller's; `first` is the number of the first graft.
uint32_t mt_grafts_make(struct mt_grafts *grafts, const struct mt_definitions *definitions, uint32_t first,
                        uint32_t stack, uint32_t caller);

// The node of a graft, counted from 0, or NULL.
const struct mt_node *mt_grafts_node(const struct mt_grafts *grafts, uint32_t number);
uint32_t mt_grafts_count(const struct mt_grafts *grafts);

#endif
