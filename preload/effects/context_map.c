/*
 * The table behind effects/context_map.h. A slot's handle is published last and cleared first, so readers need no lock;
 * writers take a lock, under which nothing foreign runs.
 */
#include "preload/effects/context_map.h"

#include <stdatomic.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/registry.h"
#include "preload/feed.h"
#include "preload/guard.h"
#include "preload/session.h"

// How a context became known: ADOPTED ones were found current, not seen created, and their end may not be seen either.
enum origin { CREATED, PRIMARY, ADOPTED };

struct slot {
    struct mt_registry_entry entry; // key: the handle
    _Atomic(uint32_t) id;
    _Atomic(int) device;
    _Atomic(enum origin) origin;
    uint64_t created_ns; // when this life began; the rest is read and written under the lock only
    uint32_t before;     // the id of a life that this one followed before its end was seen; else 0
};

static struct mt_registry contexts = MT_REGISTRY(struct slot);
static _Atomic(uint32_t) epoch = 1; // moves with every change: invalidates what threads remember
static int first_device = -1;       // of the first context; under the lock
static atomic_bool several_devices; // there was one on another device since
static atomic_bool made;            // a call that makes contexts was seen

static struct slot *find(CUcontext context) {
    return mt_registry_find(&contexts, (uintptr_t)context);
}

static CUcontext handle_of(struct slot *slot) {
    return (CUcontext)(uintptr_t)atomic_load_explicit(&slot->entry.key, memory_order_acquire);
}

// Under the lock.
static uint32_t begin_life(struct slot *slot, CUcontext context, CUdevice device, enum origin origin) {
    uint32_t id = mt_define_context(mt_session_trace(), (uint32_t)device);
    bool lives = handle_of(slot) != NULL;
    slot->before = lives ? atomic_load_explicit(&slot->id, memory_order_relaxed) : 0;
    mt_registry_remove(slot);
    atomic_store_explicit(&slot->id, id, memory_order_relaxed);
    atomic_store_explicit(&slot->device, device, memory_order_relaxed);
    atomic_store_explicit(&slot->origin, origin, memory_order_relaxed);
    slot->created_ns = mt_now_ns();
    mt_registry_publish(slot, (uintptr_t)context);
    atomic_fetch_add_explicit(&epoch, 1, memory_order_release);
    if (first_device < 0) first_device = device;
    if (first_device != device) atomic_store_explicit(&several_devices, true, memory_order_relaxed);
    return id;
}

// Under the lock. A handle that came back while its destruction was still returning: the life before is the one that
// ended.
static uint32_t end_life(struct slot *slot, uint64_t before_ns) {
    if (!slot) return 0;
    if (before_ns && slot->created_ns > before_ns) {
        uint32_t before = slot->before;
        slot->before = 0;
        return before;
    }
    mt_registry_remove(slot);
    atomic_fetch_add_explicit(&epoch, 1, memory_order_release);
    return atomic_load_explicit(&slot->id, memory_order_relaxed);
}

// Under the lock. A device has one primary context at a time: retained, it is the one that is known, by whatever way.
static bool is_known_primary(struct slot *slot, CUdevice device) {
    if (!slot || atomic_load_explicit(&slot->device, memory_order_relaxed) != device) return false;
    enum origin adopted = ADOPTED;
    atomic_compare_exchange_strong(&slot->origin, &adopted, PRIMARY);
    return atomic_load_explicit(&slot->origin, memory_order_relaxed) == PRIMARY;
}

uint32_t mt_context_created(CUcontext context, CUdevice device, bool primary, bool *is_new) {
    uint32_t id = 0;
    atomic_store_explicit(&made, true, memory_order_relaxed);
    mt_lock_take(&contexts.lock);
    struct slot *slot = find(context);
    *is_new = !(primary && is_known_primary(slot, device));
    if (*is_new) {
        if (!slot) slot = mt_registry_claim(&contexts, (uintptr_t)context);
        if (slot) id = begin_life(slot, context, device, primary ? PRIMARY : CREATED);
    } else {
        id = atomic_load_explicit(&slot->id, memory_order_relaxed);
    }
    mt_lock_drop(&contexts.lock);
    return id;
}

uint32_t mt_context_ended(CUcontext context, uint64_t before_ns) {
    if (!context) return 0;
    mt_lock_take(&contexts.lock);
    uint32_t id = end_life(find(context), before_ns);
    mt_lock_drop(&contexts.lock);
    return id;
}

void mt_contexts_forget_found(void) {
    mt_lock_take(&contexts.lock);
    for (struct slot *slot = mt_registry_first(&contexts); slot; slot = mt_registry_next(slot)) {
        bool adopted = atomic_load_explicit(&slot->origin, memory_order_relaxed) == ADOPTED;
        if (handle_of(slot) && adopted) end_life(slot, 0);
    }
    mt_lock_drop(&contexts.lock);
}

// Under the lock. The slot of a device's primary context, NULL if there is none.
static struct slot *find_primary(CUdevice device) {
    for (struct slot *slot = mt_registry_first(&contexts); slot; slot = mt_registry_next(slot)) {
        if (handle_of(slot) && slot->origin == PRIMARY && slot->device == device) return slot;
    }
    return NULL;
}

uint32_t mt_context_primary_ended(CUdevice device, uint64_t before_ns) {
    mt_lock_take(&contexts.lock);
    uint32_t id = end_life(find_primary(device), before_ns);
    mt_lock_drop(&contexts.lock);
    return id;
}

CUcontext mt_context_primary(CUdevice device) {
    mt_lock_take(&contexts.lock);
    struct slot *slot = find_primary(device);
    CUcontext context = slot ? handle_of(slot) : NULL;
    mt_lock_drop(&contexts.lock);
    return context;
}

CUcontext mt_context_on(CUdevice device) {
    CUcontext own = NULL;
    for (struct slot *slot = mt_registry_first(&contexts); slot; slot = mt_registry_next(slot)) {
        CUcontext context = handle_of(slot);
        if (!context || atomic_load_explicit(&slot->device, memory_order_relaxed) != device) continue;
        enum origin origin = atomic_load_explicit(&slot->origin, memory_order_relaxed);
        if (origin == PRIMARY) return context;
        if (origin == CREATED && !own) own = context;
    }
    return own;
}

static bool is_default(CUstream stream) {
    return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

CUcontext mt_context_of_stream(const struct mt_call *call, CUstream stream) {
    CUcontext context;
    if (!atomic_load_explicit(&several_devices, memory_order_relaxed) || is_default(stream)) return call->context;
    if (!mt_driver.stream_get_ctx || !mt_session_may_call_cuda()) return call->context;
    if (mt_driver.stream_get_ctx(stream, &context) != CUDA_SUCCESS || !find(context)) return call->context;
    return context;
}

bool mt_context_is_current(CUcontext context) {
    CUcontext current;
    return mt_driver.ctx_get_current && mt_driver.ctx_get_current(&current) == CUDA_SUCCESS && current == context;
}

int mt_context_device(CUcontext context) {
    struct slot *slot = context ? find(context) : NULL;
    return slot ? atomic_load_explicit(&slot->device, memory_order_relaxed) : -1;
}

// A device's primary context is there, and nothing that makes one was seen.
static void look_for_unseen(CUdevice device) {
    unsigned flags;
    int active;
    if (atomic_load_explicit(&made, memory_order_relaxed) || !mt_driver.primary_ctx_get_state) return;
    if (mt_driver.primary_ctx_get_state(device, &flags, &active) != CUDA_SUCCESS || !active) return;
    mt_feed_unseen("a context was used whose creation was not seen");
}

void mt_contexts_expect_found(void) {
    atomic_store_explicit(&made, true, memory_order_relaxed);
}

// A context that some entry point outside the table made (graphics interoperation, a green context). Only of the
// current one can the device be asked: a call that destroyed its context may still name that one.
static uint32_t adopt(CUcontext context) {
    CUdevice device;
    uint32_t id = 0;
    if (!mt_driver.ctx_get_device || !mt_may_ask() || !mt_context_is_current(context)) return 0;
    if (mt_driver.ctx_get_device(&device) != CUDA_SUCCESS) return 0;
    look_for_unseen(device);
    mt_lock_take(&contexts.lock);
    struct slot *slot = find(context); // another thread may have been faster
    if (slot) {
        id = atomic_load_explicit(&slot->id, memory_order_relaxed);
    } else if ((slot = mt_registry_claim(&contexts, (uintptr_t)context))) {
        id = begin_life(slot, context, device, ADOPTED);
    }
    mt_lock_drop(&contexts.lock);
    return id;
}

uint32_t mt_context_id(CUcontext context) {
    uint32_t now = atomic_load_explicit(&epoch, memory_order_acquire);
    if (!context) return 0;
    if (mt_thread.context == context && mt_thread.context_epoch == now) return mt_thread.context_id;
    struct slot *slot = find(context);
    uint32_t id = slot ? atomic_load_explicit(&slot->id, memory_order_relaxed) : adopt(context);
    if (id) {
        mt_thread.context = context;
        mt_thread.context_id = id;
        mt_thread.context_epoch = now;
    }
    return id;
}
