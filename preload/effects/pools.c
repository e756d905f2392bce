/*
 * The pools in use, see effects/pools.h. Readers take no lock; a slot's handle is published last. Writers take a lock,
 * under which nothing foreign runs.
 */
#include "preload/effects/pools.h"

#include <cupti.h>
#include <sched.h>
#include <stdatomic.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/effects/pool_pages.h"
#include "preload/effects/registry.h"
#include "preload/record.h"

#define DEVICES_MAX 64
#define WAITS_MAX   65536

struct slot {
    struct mt_registry_entry entry;  // key: the pool
    _Atomic(uint64_t) last_reserved; // bytes when last looked at
    _Atomic(int) device;             // -1: unknown, or MT_POOL_ON_HOST
    atomic_bool leaving;             // being destroyed: not to be asked about
};

static struct mt_registry pools = MT_REGISTRY(struct slot);
static _Atomic(CUmemoryPool) current[DEVICES_MAX]; // of each device; NULL: not asked for yet
static atomic_int questions;                       // about pools, on their way

static struct slot *find(CUmemoryPool pool) {
    return mt_registry_find(&pools, (uintptr_t)pool);
}

static CUmemoryPool pool_of(struct slot *slot) {
    return (CUmemoryPool)(uintptr_t)atomic_load_explicit(&slot->entry.key, memory_order_acquire);
}

// Under the lock. A slot for a pool not seen before; NULL without memory.
static struct slot *claim(CUmemoryPool pool, CUdevice device) {
    struct slot *slot = mt_registry_claim(&pools, (uintptr_t)pool);
    if (!slot) return NULL;
    atomic_store_explicit(&slot->last_reserved, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->device, device, memory_order_relaxed);
    atomic_store_explicit(&slot->leaving, false, memory_order_relaxed);
    mt_registry_publish(slot, (uintptr_t)pool);
    return slot;
}

void mt_pool_add(CUmemoryPool pool, CUdevice device) {
    if (!pool) return;
    mt_lock_take(&pools.lock);
    struct slot *old = find(pool);
    if (old) mt_registry_remove(old);
    claim(pool, device);
    mt_lock_drop(&pools.lock);
}

CUdevice mt_pool_device(CUmemoryPool pool) {
    const struct slot *slot = pool ? find(pool) : NULL;
    return slot ? atomic_load_explicit(&slot->device, memory_order_relaxed) : -1;
}

void mt_pool_remove(CUmemoryPool pool) {
    mt_lock_take(&pools.lock);
    struct slot *slot = pool ? find(pool) : NULL;
    if (slot) mt_registry_remove(slot);
    mt_lock_drop(&pools.lock);
    mt_pool_pages_forget();
    for (unsigned i = 0; i < DEVICES_MAX; i++) {
        CUmemoryPool gone = pool;
        atomic_compare_exchange_strong(&current[i], &gone, NULL);
    }
}

void mt_pool_leaves(CUmemoryPool pool) {
    struct slot *slot = pool ? find(pool) : NULL;
    if (!slot) return;
    atomic_store(&slot->leaving, true);
    // Not for ever: a thread may have left in the middle of its question, by a longjmp out of a signal's handler.
    for (int i = 0; i < WAITS_MAX && atomic_load(&questions); i++) sched_yield();
}

void mt_pool_stays(CUmemoryPool pool) {
    struct slot *slot = pool ? find(pool) : NULL;
    if (slot) atomic_store(&slot->leaving, false);
}

void mt_pool_current(CUdevice device, CUmemoryPool pool) {
    if (device >= 0 && device < DEVICES_MAX) atomic_store_explicit(&current[device], pool, memory_order_release);
}

// Another thread may be about to destroy the pool, and waits until this is over.
static bool ask(struct slot *slot, CUmemoryPool pool, uint64_t *reserved, uint64_t *used) {
    atomic_fetch_add(&questions, 1);
    bool known = !atomic_load(&slot->leaving) && pool_of(slot) == pool &&
                 mt_driver.mem_pool_get_attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, reserved) == CUDA_SUCCESS;
    // What is used is asked for where what is reserved has changed.
    if (known && atomic_load_explicit(&slot->last_reserved, memory_order_relaxed) != *reserved) {
        mt_driver.mem_pool_get_attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, used);
    }
    atomic_fetch_sub(&questions, 1);
    return known;
}

static void look(const struct mt_call *call, struct slot *slot, CUmemoryPool pool) {
    uint64_t reserved = 0, used = 0;
    int device = atomic_load_explicit(&slot->device, memory_order_relaxed);
    if (device == MT_POOL_ON_HOST || !ask(slot, pool, &reserved, &used)) return;
    uint64_t before = atomic_exchange_explicit(&slot->last_reserved, reserved, memory_order_relaxed);
    if (before == reserved) return;
    if (before > reserved) mt_pool_pages_forget();
    const struct mt_tagged tags[] = {{MT_TAG_POOL, (uintptr_t)pool},
                                     {MT_TAG_POOL_RESERVED, reserved},
                                     {MT_TAG_POOL_USED, used},
                                     {MT_TAG_DEVICE, (uint64_t)device}};
    mt_record_effect(call, MT_EFFECT_POOL_SAMPLED, MT_AFTER_CALL, NULL, tags, device < 0 ? 3 : 4);
}

// The current pool of the device; NULL when it can't be found out.
static CUmemoryPool current_pool(CUdevice device) {
    CUmemoryPool pool;
    if (device < 0 || device >= DEVICES_MAX) return NULL;
    pool = atomic_load_explicit(&current[device], memory_order_acquire);
    if (pool) return pool;
    if (!mt_driver.device_get_mem_pool || mt_driver.device_get_mem_pool(&pool, device) != CUDA_SUCCESS) return NULL;
    mt_pool_current(device, pool);
    return pool;
}

// Its slot, made and written down if it is new; NULL without memory.
static struct slot *seen(const struct mt_call *call, CUmemoryPool pool, CUdevice device) {
    struct slot *slot = find(pool);
    if (slot) return slot;
    mt_lock_take(&pools.lock);
    bool is_new = !(slot = find(pool)) && (slot = claim(pool, device));
    mt_lock_drop(&pools.lock);
    const struct mt_tagged tags[] = {{MT_TAG_POOL, (uintptr_t)pool}, {MT_TAG_DEVICE, (uint64_t)device}};
    if (is_new) mt_record_effect(call, MT_EFFECT_POOL_CREATED, MT_AFTER_CALL, NULL, tags, device < 0 ? 1 : 2);
    return slot;
}

void mt_pool_seen(const struct mt_call *call, CUmemoryPool pool, CUdevice device) {
    if (pool) seen(call, pool, device);
}

void mt_pool_used(const struct mt_call *call, CUmemoryPool pool, CUdeviceptr address, uint64_t bytes) {
    CUstreamCaptureMode mode;
    CUdevice device = -1;
    if (!mt_driver.mem_pool_get_attribute || !mt_may_ask() || mt_pool_pages_known(address, bytes)) return;
    if (!mt_ask_begin(&mode)) return;
    if (!pool) pool = current_pool(device = mt_context_device(call->context));
    struct slot *slot = pool ? seen(call, pool, device) : NULL;
    if (slot) look(call, slot, pool);
    mt_ask_end(mode);
}

void mt_pools_look(const struct mt_call *call) {
    CUstreamCaptureMode mode;
    struct slot *slot = mt_registry_first(&pools);
    if (!slot || !mt_driver.mem_pool_get_attribute || !mt_ask_begin(&mode)) return;
    for (; slot; slot = mt_registry_next(slot)) {
        CUmemoryPool pool = pool_of(slot);
        if (pool) look(call, slot, pool);
    }
    mt_ask_end(mode);
}

void mt_pools_forget_reserved(void) {
    mt_pool_pages_forget();
    for (struct slot *slot = mt_registry_first(&pools); slot; slot = mt_registry_next(slot))
        atomic_store_explicit(&slot->last_reserved, 0, memory_order_relaxed);
    for (unsigned i = 0; i < DEVICES_MAX; i++) atomic_store_explicit(&current[i], NULL, memory_order_release);
}

void mt_effect_synchronize(const struct mt_call *call) {
    if (call->result == CUDA_SUCCESS) mt_pools_look(call);
}

void mt_effect_pool_destroy_begins(const struct mt_call *call) {
    mt_pool_leaves(((const cuMemPoolDestroy_params *)call->params)->pool);
}
