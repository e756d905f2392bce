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

// The table may be cleared and filled again meanwhile: a value counts if its slot has the same key afterwards.
uint32_t mt_table_find(const struct mt_table *table, uint64_t key) {
    const struct mt_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
    if (slots == NULL) return 0;
    key = usable(key);
    for (size_t i = key & slots->mask;; i = (i + 1) & slots->mask) {
        const struct mt_slot *slot = &slots->slot[i];
        uint64_t found = atomic_load_explicit(&slot->key, memory_order_acquire);
        if (found == 0) return 0;
        if (found != key) continue;
        uint32_t value = atomic_load_explicit(&slot->value, memory_order_acquire);
        return atomic_load_explicit(&slot->key, memory_order_relaxed) == key ? value : 0;
    }
}

static void put(struct mt_slots *slots, uint64_t key, uint32_t value) {
    size_t i = key & slots->mask;
    while (atomic_load_explicit(&slots->slot[i].key, memory_order_relaxed) != 0) i = (i + 1) & slots->mask;
    atomic_store_explicit(&slots->slot[i].value, value, memory_order_release);
    atomic_store_explicit(&slots->slot[i].key, key, memory_order_release);
}

static size_t bytes_of(size_t slots) {
    return sizeof(struct mt_slots) + slots * sizeof(struct mt_slot);
}

static int grow(struct mt_table *table, struct mt_arena *arena) {
    struct mt_slots *old = atomic_load_explicit(&table->slots, memory_order_relaxed);
    size_t count = old == NULL ? FIRST_SLOTS : 2 * (old->mask + 1);
    struct mt_slots *slots = mt_arena_take(arena, bytes_of(count));
    if (slots == NULL) return -ENOMEM;
    slots->mask = count - 1;
    for (size_t i = 0; old != NULL && i <= old->mask; i++) {
        uint64_t key = atomic_load_explicit(&old->slot[i].key, memory_order_relaxed);
        if (key != 0) put(slots, key, atomic_load_explicit(&old->slot[i].value, memory_order_relaxed));
    }
    atomic_store_explicit(&table->slots, slots, memory_order_release);
    return 0;
}

int mt_table_reserve(struct mt_table *table, struct mt_arena *arena) {
    const struct mt_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    if (table->count >= table->limit) return -ENOMEM;
    return slots == NULL || 3 * (table->count + 1) > 2 * (slots->mask + 1) ? grow(table, arena) : 0;
}

void mt_table_add(struct mt_table *table, uint64_t key, uint32_t value) {
    put(atomic_load_explicit(&table->slots, memory_order_relaxed), usable(key), value);
    table->count++;
}

void mt_table_clear(struct mt_table *table) {
    struct mt_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    for (size_t i = 0; slots != NULL && i <= slots->mask; i++)
        atomic_store_explicit(&slots->slot[i].key, 0, memory_order_relaxed);
    table->count = 0;
}
