/*
 * Heap memory for the viewer. The viewer is a one-shot tool: when the heap is exhausted there is nothing better to do
 * than to say so and leave, so these never return NULL and their callers need no unwinding. Used by every file here;
 * never by tracer/ or preload/, which live in someone else's process.
 */
#ifndef MEMTRACE_VIEWER_BASE_MEMORY_H
#define MEMTRACE_VIEWER_BASE_MEMORY_H

#include <stddef.h>

void *mt_allocate(size_t bytes); // zeroed
void *mt_reallocate(void *old, size_t bytes);
char *mt_copy_text(const char *text, size_t bytes); // adds the terminator
char *mt_format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Makes room for `count` elements in a growing array: doubles *capacity as needed. New elements are zeroed.
void *mt_grow_bytes(void *array, size_t *capacity, size_t count, size_t element_bytes);
#define mt_grow(array, capacity, count) (*(array) = mt_grow_bytes(*(array), capacity, count, sizeof(**(array))))

#endif
