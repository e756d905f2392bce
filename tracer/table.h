/*
 * A set of 64-bit hashes with a 32-bit id each, read without a lock on every event and written under one. It never
 * forgets, and grows by publishing a bigger copy: readers in the old one see at worst a miss, which sends them to the
 * locked path. Keys are strong hashes and stand for the things themselves (2^32 things: one wrong match in two).
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
};

// The id of `key`, or 0. Lock-free.
uint32_t mt_table_find(const struct mt_table *table, uint64_t key);

// Adds a key that is not there. 0 or -ENOMEM (the key is then simply not remembered). Under the writer's lock.
int mt_table_add(struct mt_table *table, struct mt_arena *arena, uint64_t key, uint32_t value);

#endif
