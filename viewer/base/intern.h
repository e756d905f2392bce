/*
 * Interned text: equal texts are one pointer, so that grouping by function, file or label compares pointers. Owned by
 * the pool, valid until it is freed.
 */
#ifndef MEMTRACE_VIEWER_BASE_INTERN_H
#define MEMTRACE_VIEWER_BASE_INTERN_H

#include <stddef.h>

struct mt_intern_pool;

struct mt_intern_pool *mt_intern_new(void);
void mt_intern_free(struct mt_intern_pool *pool);
const char *mt_intern(struct mt_intern_pool *pool, const char *text);
const char *mt_intern_bytes(struct mt_intern_pool *pool, const char *text, size_t bytes);

#endif
