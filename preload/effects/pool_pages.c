/*
 * A direct-mapped table of pages, see effects/pool_pages.h. An entry is a page number and the generation that it was
 * seen in; pages that share a slot, and threads that race for one, make each other forgotten.
 */
#include "preload/effects/pool_pages.h"

#include <stdatomic.h>

enum {
    PAGE_SHIFT = 21, // device memory is backed in pages of 2 MiB
    SLOT_BITS = 12,
    GENERATION_BITS = 20, // beside the page number: addresses have 64 - PAGE_SHIFT significant bits at most
    PAGES_MAX = 64        // of an allocation; larger ones are rare enough to ask for
};

static _Atomic(uint64_t) slots[1 << SLOT_BITS];
static _Atomic(uint32_t) generation = 1; // 0 is that of an empty slot

bool mt_pool_pages_known(uint64_t address, uint64_t bytes) {
    uint64_t first = address >> PAGE_SHIFT, last = (address + (bytes ? bytes - 1 : 0)) >> PAGE_SHIFT;
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire) & ((1u << GENERATION_BITS) - 1);
    bool known = true;
    if (last - first >= PAGES_MAX) return false;
    for (uint64_t page = first; page <= last; page++) {
        uint64_t entry = page << GENERATION_BITS | now;
        _Atomic(uint64_t) *slot = &slots[page * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS)];
        if (atomic_load_explicit(slot, memory_order_relaxed) == entry) continue;
        atomic_store_explicit(slot, entry, memory_order_relaxed);
        known = false;
    }
    return known;
}

void mt_pool_pages_forget(void) {
    atomic_fetch_add_explicit(&generation, 1, memory_order_release);
}
