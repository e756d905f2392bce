/*
 * Memory of the recorder: it lives in other people's processes, inside their allocation calls, so it never uses malloc.
 * Everything it keeps, it keeps until the process ends; hence an arena that only grows. The caller holds whatever lock
 * protects the arena.
 */
#ifndef MEMTRACE_TRACER_MEMORY_H
#define MEMTRACE_TRACER_MEMORY_H

#include <stddef.h>

struct mt_arena {
    char *at;
    size_t left; // bytes
};

// Zeroed pages of their own, or NULL.
void *mt_pages_map(size_t bytes);
void mt_pages_unmap(void *pages, size_t bytes);

// Zeroed, aligned to 16 bytes; NULL when the system has no more.
void *mt_arena_take(struct mt_arena *arena, size_t bytes);

#endif
