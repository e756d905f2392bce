/*
 * The table behind effects/context_map.h: a few dozen contexts at most, in a fixed array. A slot's handle is published
 * last and cleared first, so readers need no lock; writers take a lock, under which nothing foreign runs.
 */
#include "preload/effects/context_map.h"

#include <stdatomic.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/guard.h"
#include "preload/session.h"
#include "tracer/lock.h"

#define CONTEXTS_MAX 256

// How a context became known: ADOPTED ones were found current, not seen created, and their end may not be seen either.
enum origin { CREATED, PRIMARY, ADOPTED };

struct slot {
    _Atomic(CUcontext) handle; // NULL: free
    _Atomic(uint32_t) id;
    _Atomic(int) device;
    _Atomic(enum origin) origin;
    uint64_t created_ns; // when this life began; the rest is read and written under the lock only
    uint32_t before;     // the id of a life that this one followed before its end was seen; else 0
};

static struct slot slots[CONTEXTS_MAX];
static _Atomic(unsigned) slot_count; // slots in use so far, never falls
static _Atomic(uint32_t) epoch = 1;  // moves with every change: invalidates what threads remember
static struct mt_lock lock;
static int first_device = -1;       // of the first context; under the lock
static atomic_bool several_devices; // there was one on another device since

static struct slot *find(CUcontext context) {
    unsigned count = atomic_load_explicit(&slot_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++) {
        if (atomic_load_explicit(&slots[i].handle, memory_order_acquire) == context) return &slots[i];
    }
    return NULL;
}

// Under the lock. NULL when the table is full.
static struct slot *free_slot(void) {
    struct slot *slot = find(NULL);
    unsigned count = atomic_load_explicit(&slot_count, memory_order_relaxed);
    if (slot) return slot;
    if (count == CONTEXTS_MAX) return NULL;
    atomic_store_explicit(&slot_count, count + 1, memory_order_release);
    return &slots[count];
}

// Under the lock.
static uint32_t begin_life(struct slot *slot, CUcontext context, CUdevice device, enum origin origin) {
    uint32_t id = mt_define_context(mt_session_trace(), (uint32_t)device);
    bool lives = atomic_load_explicit(&slot->handle, memory_order_relaxed) != NULL;
    slot->before = lives ? atomic_load_explicit(&slot->id, memory_order_relaxed) : 0;
    atomic_store_explicit(&slot->handle, NULL, memory_order_release);
    atomic_store_explicit(&slot->id, id, memory_order_relaxed);
    atomic_store_explicit(&slot->device, device, memory_order_relaxed);
    atomic_store_explicit(&slot->origin, origin, memory_order_relaxed);
    slot->created_ns = mt_now_ns();
    atomic_store_explicit(&slot->handle, context, memory_order_release);
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
    atomic_store_explicit(&slot->handle, NULL, memory_order_release);
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
    mt_lock_take(&lock);
    struct slot *slot = find(context);
    *is_new = !(primary && is_known_primary(slot, device));
    if (*is_new) {
        if (!slot) slot = free_slot();
        if (slot) id = begin_life(slot, context, device, primary ? PRIMARY : CREATED);
    } else {
        id = atomic_load_explicit(&slot->id, memory_order_relaxed);
    }
    mt_lock_drop(&lock);
    return id;
}

uint32_t mt_context_ended(CUcontext context, uint64_t before_ns) {
    if (!context) return 0;
    mt_lock_take(&lock);
    uint32_t id = end_life(find(context), before_ns);
    mt_lock_drop(&lock);
    return id;
}

void mt_contexts_forget_found(void) {
    unsigned count = atomic_load_explicit(&slot_count, memory_order_acquire);
    mt_lock_take(&lock);
    for (unsigned i = 0; i < count; i++) {
        if (atomic_load_explicit(&slots[i].origin, memory_order_relaxed) == ADOPTED) end_life(&slots[i], 0);
    }
    mt_lock_drop(&lock);
}

// Under the lock. The slot of a device's primary context, NULL if there is none.
static struct slot *find_primary(CUdevice device) {
    unsigned count = atomic_load_explicit(&slot_count, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++) {
        struct slot *slot = &slots[i];
        if (atomic_load_explicit(&slot->handle, memory_order_relaxed) && slot->origin == PRIMARY &&
            slot->device == device) {
            return slot;
        }
    }
    return NULL;
}

uint32_t mt_context_primary_ended(CUdevice device, uint64_t before_ns) {
    mt_lock_take(&lock);
    uint32_t id = end_life(find_primary(device), before_ns);
    mt_lock_drop(&lock);
    return id;
}

CUcontext mt_context_primary(CUdevice device) {
    mt_lock_take(&lock);
    struct slot *slot = find_primary(device);
    CUcontext context = slot ? atomic_load_explicit(&slot->handle, memory_order_relaxed) : NULL;
    mt_lock_drop(&lock);
    return context;
}

CUcontext mt_context_on(CUdevice device) {
    CUcontext own = NULL;
    unsigned count = atomic_load_explicit(&slot_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++) {
        CUcontext context = atomic_load_explicit(&slots[i].handle, memory_order_acquire);
        if (!context || atomic_load_explicit(&slots[i].device, memory_order_relaxed) != device) continue;
        enum origin origin = atomic_load_explicit(&slots[i].origin, memory_order_relaxed);
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

// A context that some entry point outside the table made (graphics interoperation, a green context). Only of the
// current one can the device be asked: a call that destroyed its context may still name that one.
static uint32_t adopt(CUcontext context) {
    CUdevice device;
    uint32_t id = 0;
    if (!mt_driver.ctx_get_device || !mt_may_ask() || !mt_context_is_current(context)) return 0;
    if (mt_driver.ctx_get_device(&device) != CUDA_SUCCESS) return 0;
    mt_lock_take(&lock);
    struct slot *slot = find(context); // another thread may have been faster
    if (slot) {
        id = atomic_load_explicit(&slot->id, memory_order_relaxed);
    } else if ((slot = free_slot())) {
        id = begin_life(slot, context, device, ADOPTED);
    }
    mt_lock_drop(&lock);
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
