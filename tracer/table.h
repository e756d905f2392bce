/*
 * A set of 64-bit hashes with a 32-bit id each, read without a lock on every event and written under one. It grows by
 * publishing a bigger copy, up to a limit, so that a program that makes new things for ever cannot take all memory:
 * readers in the old one see at worst a miss, which sends them to the locked path. Keys are strong hashes and stand for
 * the things themselves (2^32 things: one wrong match in two).
 */
#ifndef MEMTRACE_TRACER_TABLE_H
#define MEMTRACE_TRACER_TABLE_H

#include <stdatomic.h>
#include <stdint.h>

#include "tracer/memory.h"

struct mt_slot {
    _Atomic uint64_t key; // 0: free. Stored after the value, with release order
    _Atomic uint32_t value;
};

struct mt_slots {
    size_t mask; // number of slots - 1, a power of two
    struct mt_slot slot[];
};

struct mt_table {
    _Atomic(struct mt_slots *) slots; // NULL until the first insertion
    size_t count;                     // under the writer's lock
    size_t limit;                     // things at most; set before use
};

// The id of `key`, or 0. Lock-free.
uint32_t mt_table_find(const struct mt_table *table, uint64_t key);

// The rest under the writer's lock.

// Makes room for one key more. 0, or -ENOMEM: the limit is reached, or the system has no more.
int mt_table_reserve(struct mt_table *table, struct mt_arena *arena);
// Adds a key that is not there, after a reservation that succeeded.
void mt_table_add(struct mt_table *table, uint64_t key, uint32_t value);
// Forgets everything, for a table that is only a short cut.
void mt_table_clear(struct mt_table *table);

#endif
