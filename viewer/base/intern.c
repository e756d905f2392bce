/*
 * Interned text over uthash; see intern.h.
 */
#include "viewer/base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

struct entry {
    UT_hash_handle hh;
    char text[];
};

struct mt_intern_pool {
    struct entry *entries;
};

struct mt_intern_pool *mt_intern_new(void) {
    return mt_allocate(sizeof(struct mt_intern_pool));
}

void mt_intern_free(struct mt_intern_pool *pool) {
    if (!pool) return;
    mt_hash_free(pool->entries);
    free(pool);
}

const char *mt_intern(struct mt_intern_pool *pool, const char *text) {
    return mt_intern_bytes(pool, text, strlen(text));
}

const char *mt_intern_bytes(struct mt_intern_pool *pool, const char *text, size_t bytes) {
    struct entry *entry;
    HASH_FIND(hh, pool->entries, text, bytes, entry);
    if (!entry) {
        entry = mt_allocate(sizeof(*entry) + bytes + 1);
        memcpy(entry->text, text, bytes);
        HASH_ADD_KEYPTR(hh, pool->entries, entry->text, bytes, entry);
    }
    return entry->text;
}
