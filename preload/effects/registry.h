/*
 * What is known of the program's handles and addresses: tables by a 64-bit key, never 0, that grow as programs make
 * more. Reading takes no lock and can be done by a signal handler; changing takes the table's own, under which nothing
 * foreign runs. An entry never moves and is never unmapped. One that was removed is used again for a key of the same
 * bucket, so whoever walks the bucket meanwhile stays in it.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_REGISTRY_H
#define MEMTRACE_PRELOAD_EFFECTS_REGISTRY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/lock.h"
#include "tracer/memory.h"

#define MT_REGISTRY_BUCKETS 256

// The first member of what a table holds.
struct mt_registry_entry {
    _Atomic(uint64_t) key;          // 0: free
    struct mt_registry_entry *next; // in its bucket; constant once others see the entry, as is
    struct mt_registry_entry *all;  // the next of the whole table
};

struct mt_registry {
    size_t entry_bytes;
    struct mt_lock lock;
    struct mt_arena arena;                                            // under the lock
    _Atomic(struct mt_registry_entry *) buckets[MT_REGISTRY_BUCKETS]; // the newest entry first, as in
    _Atomic(struct mt_registry_entry *) all;
};

#define MT_REGISTRY(type)                                                                                              \
    { .entry_bytes = sizeof(type) }

// The entry of a key, or NULL. May be called with or without the lock.
void *mt_registry_find(struct mt_registry *registry, uint64_t key);

// Every entry that is or was in use, for (e = first; e; e = next): those that are free have key 0.
void *mt_registry_first(struct mt_registry *registry);
void *mt_registry_next(const void *entry);

// Under the lock: an entry for the key, free so far, which nobody finds until mt_registry_publish. Its other members
// are as they were left. NULL when the system has no memory, which is counted as a lost event.
void *mt_registry_claim(struct mt_registry *registry, uint64_t key);
void mt_registry_publish(void *entry, uint64_t key);

// Frees an entry; whoever has just found it may still read it.
void mt_registry_remove(void *entry);

#endif
