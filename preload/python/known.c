/*
 * The tables behind python/known.h.
 */
#include "preload/python/known.h"

#include "tracer/memory.h"

struct mt_python_known *mt_python_known_make(struct mt_own_stack *stack) {
    return stack->python_known = mt_pages_map(sizeof(struct mt_python_known) << MT_PYTHON_KNOWN_BITS);
}
