/*
 * The table behind effects/views.h.
 */
#include "preload/effects/views.h"

#include <stdatomic.h>
#include <stddef.h>

#define VIEWS_MAX 256

static struct {
    _Atomic(uint64_t) view;  // 0: free
    _Atomic(uint64_t) bytes; // written before the view is handed out
} views[VIEWS_MAX];
static atomic_int count; // views in the table

void mt_view_add(uint64_t view, uint64_t bytes) {
    for (size_t i = 0; i < VIEWS_MAX; i++) {
        uint64_t none = 0;
        if (!atomic_compare_exchange_strong(&views[i].view, &none, view)) continue;
        atomic_store_explicit(&views[i].bytes, bytes, memory_order_relaxed);
        atomic_fetch_add(&count, 1);
        return;
    }
}

bool mt_view_take(uint64_t view, uint64_t *bytes) {
    if (atomic_load_explicit(&count, memory_order_acquire) == 0 || !view) return false;
    for (size_t i = 0; i < VIEWS_MAX; i++) {
        uint64_t wanted = view;
        *bytes = atomic_load_explicit(&views[i].bytes, memory_order_relaxed);
        if (!atomic_compare_exchange_strong(&views[i].view, &wanted, 0)) continue;
        atomic_fetch_sub(&count, 1);
        return true;
    }
    return false;
}
