/*
 * The table behind effects/views.h.
 */
#include "preload/effects/views.h"

#include "preload/effects/registry.h"

struct view {
    struct mt_registry_entry entry; // key: the view
    _Atomic(uint64_t) bytes;        // written before the view is handed out, as is its context
    _Atomic(CUcontext) context;
};

static struct mt_registry views = MT_REGISTRY(struct view);
static atomic_int count; // views in the table

void mt_view_add(uint64_t view, uint64_t bytes, CUcontext context) {
    if (!view) return;
    mt_lock_take(&views.lock);
    struct view *entry = mt_registry_find(&views, view); // one whose end was not seen
    if (!entry && (entry = mt_registry_claim(&views, view))) atomic_fetch_add(&count, 1);
    if (entry) {
        atomic_store_explicit(&entry->bytes, bytes, memory_order_relaxed);
        atomic_store_explicit(&entry->context, context, memory_order_relaxed);
        mt_registry_publish(entry, view);
    }
    mt_lock_drop(&views.lock);
}

bool mt_view_take(uint64_t view, uint64_t *bytes) {
    if (atomic_load_explicit(&count, memory_order_acquire) == 0 || !view) return false;
    struct view *entry = mt_registry_find(&views, view);
    uint64_t wanted = view;
    if (!entry) return false;
    *bytes = atomic_load_explicit(&entry->bytes, memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&entry->entry.key, &wanted, 0)) return false;
    atomic_fetch_sub(&count, 1);
    return true;
}

void mt_views_context_ended(CUcontext context) {
    uint64_t bytes;
    if (atomic_load_explicit(&count, memory_order_acquire) == 0 || !context) return;
    for (struct view *entry = mt_registry_first(&views); entry; entry = mt_registry_next(entry)) {
        uint64_t view = atomic_load_explicit(&entry->entry.key, memory_order_relaxed);
        if (view && atomic_load_explicit(&entry->context, memory_order_relaxed) == context) mt_view_take(view, &bytes);
    }
}
