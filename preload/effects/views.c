/*
 * The table behind effects/views.h.
 */
#include "preload/effects/views.h"

#include <stdatomic.h>
#include <stddef.h>

#define VIEWS_MAX 256

static struct {
    _Atomic(uint64_t) view;  // 0: free
    _Atomic(uint64_t) bytes; // written before the view is handed out, as is its context
    _Atomic(CUcontext) context;
} views[VIEWS_MAX];
static atomic_int count; // views in the table

void mt_view_add(uint64_t view, uint64_t bytes, CUcontext context) {
    for (size_t i = 0; i < VIEWS_MAX; i++) {
        uint64_t none = 0;
        if (!atomic_compare_exchange_strong(&views[i].view, &none, view)) continue;
        atomic_store_explicit(&views[i].bytes, bytes, memory_order_relaxed);
        atomic_store_explicit(&views[i].context, context, memory_order_relaxed);
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

void mt_views_context_ended(CUcontext context) {
    uint64_t bytes;
    if (atomic_load_explicit(&count, memory_order_acquire) == 0 || !context) return;
    for (size_t i = 0; i < VIEWS_MAX; i++) {
        uint64_t view = atomic_load_explicit(&views[i].view, memory_order_relaxed);
        if (view && atomic_load_explicit(&views[i].context, memory_order_relaxed) == context)
            mt_view_take(view, &bytes);
    }
}
