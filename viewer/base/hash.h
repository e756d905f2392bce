/*
 * What uthash leaves to its users.
 */
#ifndef MEMTRACE_VIEWER_BASE_HASH_H
#define MEMTRACE_VIEWER_BASE_HASH_H

#include <stdlib.h>
#include <uthash.h>

// Empties a table by the handle `hh`, and frees what was in it: for things that own nothing else.
#define mt_hash_free(table)                                                                                            \
    do {                                                                                                               \
        __typeof__(table) mt_item, mt_next;                                                                            \
        HASH_ITER(hh, table, mt_item, mt_next) {                                                                       \
            HASH_DEL(table, mt_item);                                                                                  \
            free(mt_item);                                                                                             \
        }                                                                                                              \
    } while (0)

#endif
