/*
 * The pools in use, see effects/pools.h. A fixed table: programs make a handful. A slot's handle is published last.
 */
#include "preload/effects/pools.h"

#include <stdatomic.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/effects/pool_pages.h"
#include "preload/record.h"

#define POOLS_MAX   128
#define DEVICES_MAX 64

struct slot {
    _Atomic(CUmemoryPool) pool;      // NULL: free
    _Atomic(uint64_t) last_reserved; // bytes when last looked at
    _Atomic(int) device;             // -1: unknown
};

static struct slot slots[POOLS_MAX];
static _Atomic(unsigned) slot_count;               // slots in use so far, never falls
static _Atomic(CUmemoryPool) current[DEVICES_MAX]; // of each device; NULL: not asked for yet

static struct slot *find(CUmemoryPool pool) {
    unsigned count = atomic_load_explicit(&slot_count, memory_order_acquire);
    for (unsigned i = 0; i < count && i < POOLS_MAX; i++) {
        if (atomic_load_explicit(&slots[i].pool, memory_order_acquire) == pool) return &slots[i];
    }
    return NULL;
}

// A slot for a pool not seen before; NULL when the table is full.
static struct slot *claim(CUmemoryPool pool, CUdevice device) {
    for (unsigned i = 0; i < POOLS_MAX; i++) {
        CUmemoryPool none = NULL;
        if (!atomic_compare_exchange_strong(&slots[i].pool, &none, pool)) continue;
        atomic_store_explicit(&slots[i].last_reserved, 0, memory_order_relaxed);
        atomic_store_explicit(&slots[i].device, device, memory_order_relaxed);
        unsigned count = atomic_load(&slot_count);
        while (count <= i && !atomic_compare_exchange_weak(&slot_count, &count, i + 1)) {
        }
        return &slots[i];
    }
    return NULL;
}

void mt_pool_add(CUmemoryPool pool, CUdevice device) {
    if (!pool) return;
    struct slot *slot = find(pool);
    if (slot) {
        atomic_store_explicit(&slot->last_reserved, 0, memory_order_relaxed);
        atomic_store_explicit(&slot->device, device, memory_order_relaxed);
    } else {
        claim(pool, device);
    }
}

CUdevice mt_pool_device(CUmemoryPool pool) {
    const struct slot *slot = pool ? find(pool) : NULL;
    return slot ? atomic_load_explicit(&slot->device, memory_order_relaxed) : -1;
}

void mt_pool_remove(CUmemoryPool pool) {
    struct slot *slot = pool ? find(pool) : NULL;
    if (slot) atomic_store_explicit(&slot->pool, NULL, memory_order_release);
    mt_pool_pages_forget();
    for (unsigned i = 0; i < DEVICES_MAX; i++) {
        CUmemoryPool gone = pool;
        atomic_compare_exchange_strong(&current[i], &gone, NULL);
    }
}

void mt_pool_current(CUdevice device, CUmemoryPool pool) {
    if (device >= 0 && device < DEVICES_MAX) atomic_store_explicit(&current[device], pool, memory_order_release);
}

static void look(const struct mt_call *call, struct slot *slot, CUmemoryPool pool) {
    uint64_t reserved = 0, used = 0;
    if (mt_driver.mem_pool_get_attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved) != CUDA_SUCCESS) return;
    uint64_t before = atomic_exchange_explicit(&slot->last_reserved, reserved, memory_order_relaxed);
    if (before == reserved) return;
    if (before > reserved) mt_pool_pages_forget();
    mt_driver.mem_pool_get_attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
    int device = atomic_load_explicit(&slot->device, memory_order_relaxed);
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

// Its slot, made and written down if it is new; NULL when the table is full.
static struct slot *seen(const struct mt_call *call, CUmemoryPool pool, CUdevice device) {
    struct slot *slot = find(pool);
    if (slot || !(slot = claim(pool, device))) return slot;
    const struct mt_tagged tags[] = {{MT_TAG_POOL, (uintptr_t)pool}, {MT_TAG_DEVICE, (uint64_t)device}};
    mt_record_effect(call, MT_EFFECT_POOL_CREATED, MT_AFTER_CALL, NULL, tags, device < 0 ? 1 : 2);
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
    unsigned count = atomic_load_explicit(&slot_count, memory_order_acquire);
    if (count == 0 || !mt_driver.mem_pool_get_attribute || !mt_ask_begin(&mode)) return;
    for (unsigned i = 0; i < count; i++) {
        CUmemoryPool pool = atomic_load_explicit(&slots[i].pool, memory_order_acquire);
        if (pool) look(call, &slots[i], pool);
    }
    mt_ask_end(mode);
}

void mt_pools_forget_reserved(void) {
    mt_pool_pages_forget();
    for (unsigned i = 0; i < POOLS_MAX; i++) atomic_store_explicit(&slots[i].last_reserved, 0, memory_order_relaxed);
    for (unsigned i = 0; i < DEVICES_MAX; i++) atomic_store_explicit(&current[i], NULL, memory_order_release);
}

void mt_effect_synchronize(const struct mt_call *call) {
    if (call->result == CUDA_SUCCESS) mt_pools_look(call);
}
