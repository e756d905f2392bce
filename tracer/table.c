/*
 * Open addressing with linear probing for table.h; at most two thirds full.
 */
#include "tracer/table.h"

#include <errno.h>

enum { FIRST_SLOTS = 256 };

// 0 marks a free slot; the hash 0 shares a key with the hash 1.
static uint64_t usable(uint64_t key) {
    return key != 0 ? key : 1;
}

uint32_t mt_table_find(const struct mt_table *table, uint64_t key) {
    const struct mt_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
    if (slots == NULL) return 0;
    key = usable(key);
    for (size_t i = key & slots->mask;; i = (i + 1) & slots->mask) {
        uint64_t found = atomic_load_explicit(&slots->slot[i].key, memory_order_acquire);
        if (found == key) return atomic_load_explicit(&slots->slot[i].value, memory_order_relaxed);
        if (found == 0) return 0;
    }
}

static void put(struct mt_slots *slots, uint64_t key, uint32_t value) {
    size_t i = key & slots->mask;
    while (atomic_load_explicit(&slots->slot[i].key, memory_order_relaxed) != 0) i = (i + 1) & slots->mask;
    atomic_store_explicit(&slots->slot[i].value, value, memory_order_relaxed);
    atomic_store_explicit(&slots->slot[i].key, key, memory_order_release);
}

static int grow(struct mt_table *table, struct mt_arena *arena) {
    struct mt_slots *old = atomic_load_explicit(&table->slots, memory_order_relaxed);
    size_t count = old == NULL ? FIRST_SLOTS : 2 * (old->mask + 1);
    struct mt_slots *slots = mt_arena_take(arena, sizeof *slots + count * sizeof slots->slot[0]);
    if (slots == NULL) return -ENOMEM;
    slots->mask = count - 1;
    for (size_t i = 0; old != NULL && i <= old->mask; i++) {
        uint64_t key = atomic_load_explicit(&old->slot[i].key, memory_order_relaxed);
        if (key != 0) put(slots, key, atomic_load_explicit(&old->slot[i].value, memory_order_relaxed));
    }
    atomic_store_explicit(&table->slots, slots, memory_order_release);
    return 0;
}

int mt_table_add(struct mt_table *table, struct mt_arena *arena, uint64_t key, uint32_t value) {
    struct mt_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    if (slots == NULL || 3 * (table->count + 1) > 2 * (slots->mask + 1)) {
        if (grow(table, arena) != 0) return -ENOMEM;
        slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    }
    put(slots, usable(key), value);
    table->count++;
    return 0;
}
