/*
 * Tables that grow, see effects/registry.h: chained buckets to which entries are only ever added.
 */
#include "preload/effects/registry.h"

#include <errno.h>

#include "preload/session.h"
#include "tracer/trace.h"

static _Atomic(struct mt_registry_entry *) *bucket_of(struct mt_registry *registry, uint64_t key) {
    return &registry->buckets[key * 0x9e3779b97f4a7c15u >> 56];
}

static struct mt_registry_entry *find_in(_Atomic(struct mt_registry_entry *) *bucket, uint64_t key) {
    struct mt_registry_entry *entry = atomic_load_explicit(bucket, memory_order_acquire);
    while (entry && atomic_load_explicit(&entry->key, memory_order_acquire) != key) entry = entry->next;
    return entry;
}

void *mt_registry_find(struct mt_registry *registry, uint64_t key) {
    return key ? find_in(bucket_of(registry, key), key) : NULL;
}

void *mt_registry_first(struct mt_registry *registry) {
    return atomic_load_explicit(&registry->all, memory_order_acquire);
}

void *mt_registry_next(const void *entry) {
    return ((const struct mt_registry_entry *)entry)->all;
}

void *mt_registry_claim(struct mt_registry *registry, uint64_t key) {
    _Atomic(struct mt_registry_entry *) *bucket = bucket_of(registry, key);
    struct mt_registry_entry *entry = find_in(bucket, 0);
    if (entry) return entry;
    entry = mt_arena_take(&registry->arena, registry->entry_bytes);
    if (!entry) {
        mt_trace_lose_event(mt_session_trace(), ENOMEM);
        return NULL;
    }
    entry->next = atomic_load_explicit(bucket, memory_order_relaxed);
    entry->all = atomic_load_explicit(&registry->all, memory_order_relaxed);
    atomic_store_explicit(bucket, entry, memory_order_release);
    atomic_store_explicit(&registry->all, entry, memory_order_release);
    return entry;
}

void mt_registry_publish(void *entry, uint64_t key) {
    atomic_store_explicit(&((struct mt_registry_entry *)entry)->key, key, memory_order_release);
}

void mt_registry_remove(void *entry) {
    atomic_store_explicit(&((struct mt_registry_entry *)entry)->key, 0, memory_order_release);
}
