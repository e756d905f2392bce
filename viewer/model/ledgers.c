/*
 * The ledgers and their peaks; see ledgers.h.
 */
#include "viewer/model/ledgers.h"

#include <stdlib.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

struct mt_pool_ledger {
    uint64_t handle;
    uint64_t reserved; // as it told last, bytes
    uint64_t bytes, blocks;
    uint32_t device;
    bool unknown;   // stands for the pool that blocks lie in before anything tells which it is
    bool destroyed; // it goes with its last block
    UT_hash_handle hh;
};

static const struct mt_device_ledgers no_ledgers;

static struct mt_device_ledgers *ledgers_of(struct mt_ledgers *ledgers, uint32_t device) {
    if (device > MT_HIGHEST_DEVICE) device = MT_HIGHEST_DEVICE;
    mt_grow(&ledgers->devices, &ledgers->device_capacity, (size_t)device + 1);
    if (device >= ledgers->device_count) ledgers->device_count = device + 1;
    return &ledgers->devices[device];
}

static void tally_add(struct mt_tally *tally, uint64_t bytes, struct mt_moment moment) {
    tally->bytes += bytes;
    tally->count++;
    tally->allocations++;
    tally->allocated_bytes += bytes;
    if (tally->bytes <= tally->peak_bytes) return;
    tally->peak_bytes = tally->bytes;
    tally->peak_index = moment.index;
    tally->peak_time_ns = moment.time_ns;
    tally->peak_stack = moment.stack;
}

static void tally_remove(struct mt_tally *tally, uint64_t bytes) {
    tally->bytes -= bytes;
    tally->count--;
}

bool mt_live_is_used(const struct mt_live *live) {
    return (live->ledger == MT_LEDGER_PHYSICAL || live->ledger == MT_LEDGER_ALLOCATOR) && !live->segment;
}

uint64_t mt_ledgers_pools(const struct mt_device_ledgers *ledgers) {
    return ledgers->pool_held > ledgers->pool_bytes ? ledgers->pool_held : ledgers->pool_bytes;
}

static uint64_t taken(const struct mt_device_ledgers *ledgers) {
    return ledgers->linear.bytes + ledgers->objects + ledgers->migrated + mt_ledgers_pools(ledgers);
}

static uint64_t in_use(const struct mt_device_ledgers *ledgers) {
    if (!ledgers->sampled)
        return ledgers->ledgers[MT_LEDGER_PHYSICAL].bytes + ledgers->migrated + mt_ledgers_pools(ledgers);
    uint64_t sum = ledgers->sample_bytes + taken(ledgers);
    return sum > ledgers->sample_taken ? sum - ledgers->sample_taken : 0;
}

static void note_in_use(struct mt_device_ledgers *ledgers) {
    uint64_t bytes = in_use(ledgers);
    if (bytes > ledgers->in_use_peak) ledgers->in_use_peak = bytes;
}

// The handle of a device's unknown pool: a number that no handle has.
static uint64_t unknown_pool(uint32_t device) {
    return (uint64_t)1 << 63 | device;
}

static struct mt_pool_ledger *find_pool(const struct mt_ledgers *ledgers, uint64_t handle) {
    struct mt_pool_ledger *pool;
    HASH_FIND(hh, ledgers->pools, &handle, sizeof(handle), pool);
    return pool;
}

static struct mt_pool_ledger *pool_of(struct mt_ledgers *ledgers, uint64_t handle, uint32_t device) {
    struct mt_pool_ledger *pool = find_pool(ledgers, handle);
    if (pool) return pool;
    pool = mt_allocate(sizeof(*pool));
    pool->handle = handle;
    pool->device = device;
    pool->unknown = handle == unknown_pool(device);
    HASH_ADD(hh, ledgers->pools, handle, sizeof(pool->handle), pool);
    return pool;
}

// What it told may be older than its latest block. Blocks of an unknown pool may lie in what another one holds.
static uint64_t held(const struct mt_pool_ledger *pool) {
    if (pool->unknown) return 0;
    return pool->reserved > pool->bytes ? pool->reserved : pool->bytes;
}

static void pool_tells(struct mt_ledgers *ledgers, struct mt_pool_ledger *pool, uint64_t reserved) {
    struct mt_device_ledgers *device = ledgers_of(ledgers, pool->device);
    uint64_t before = held(pool);
    device->pool_reserved += reserved - pool->reserved;
    pool->reserved = reserved;
    device->pool_held += held(pool) - before;
}

static void pool_enter(struct mt_ledgers *ledgers, struct mt_live *live, struct mt_pool_ledger *pool) {
    struct mt_device_ledgers *device = ledgers_of(ledgers, pool->device);
    uint64_t before = held(pool);
    live->home = pool;
    pool->bytes += live->taken;
    pool->blocks++;
    device->pool_bytes += live->taken;
    device->pool_blocks++;
    device->pool_held += held(pool) - before;
}

static void pool_leave(struct mt_ledgers *ledgers, const struct mt_live *live) {
    struct mt_pool_ledger *pool = live->home;
    struct mt_device_ledgers *device = ledgers_of(ledgers, pool->device);
    uint64_t before = held(pool);
    pool->bytes -= live->taken;
    pool->blocks--;
    device->pool_bytes -= live->taken;
    device->pool_blocks--;
    device->pool_held += held(pool) - before;
    if (!pool->destroyed || pool->blocks) return;
    pool_tells(ledgers, pool, 0);
    HASH_DEL(ledgers->orphans, pool);
    free(pool);
}

static struct mt_pool_ledger *home_of(struct mt_ledgers *ledgers, const struct mt_live *live) {
    struct mt_pool_ledger *current = ledgers_of(ledgers, live->device)->current;
    if (live->pool) return pool_of(ledgers, live->pool, live->device);
    return current ? current : pool_of(ledgers, unknown_pool(live->device), live->device);
}

void mt_ledgers_export(struct mt_ledgers *ledgers, const struct mt_live *live, struct mt_moment moment) {
    tally_add(&ledgers_of(ledgers, live->device)->exported, live->bytes, moment);
}

void mt_ledgers_add(struct mt_ledgers *ledgers, struct mt_live *live, struct mt_moment moment) {
    if (live->memory == MT_MEMORY_IMPORTED)
        tally_add(&ledgers_of(ledgers, live->device)->imported, live->bytes, moment);
    if (live->memory == MT_MEMORY_TENSOR_CPU) tally_add(&ledgers->host_tensors, live->bytes, moment);
    if (live->ledger == MT_LEDGER_NONE) return;
    if (live->ledger == MT_LEDGER_HOST) {
        tally_add(&ledgers->host, live->bytes, moment);
        if (live->memory == MT_MEMORY_MANAGED) ledgers->managed += mt_whole_pages(live->bytes);
        return;
    }
    struct mt_device_ledgers *device = ledgers_of(ledgers, live->device);
    tally_add(&device->ledgers[live->ledger], live->taken, moment);
    if (live->memory == MT_MEMORY_POOL)
        pool_enter(ledgers, live, home_of(ledgers, live));
    else if (live->ledger == MT_LEDGER_PHYSICAL && live->key.space == MT_SPACE_ADDRESS)
        mt_footprint_add(&device->linear, live->key.identity, live->taken);
    else if (live->ledger == MT_LEDGER_PHYSICAL)
        device->objects += mt_whole_pages(live->taken);
    if (mt_live_is_used(live)) {
        tally_add(&device->used, live->bytes, moment);
        tally_add(live->memory == MT_MEMORY_TENSOR ? &device->tensors : &device->others, live->bytes, moment);
    }
    if (live->segment) tally_add(&device->segments, live->taken, moment);
    note_in_use(device);
}

void mt_ledgers_remove(struct mt_ledgers *ledgers, const struct mt_live *live) {
    if (live->memory == MT_MEMORY_IMPORTED) tally_remove(&ledgers_of(ledgers, live->device)->imported, live->bytes);
    if (live->exported) tally_remove(&ledgers_of(ledgers, live->device)->exported, live->bytes);
    if (live->memory == MT_MEMORY_TENSOR_CPU) tally_remove(&ledgers->host_tensors, live->bytes);
    if (live->ledger == MT_LEDGER_NONE) return;
    if (live->ledger == MT_LEDGER_HOST) {
        tally_remove(&ledgers->host, live->bytes);
        if (live->memory == MT_MEMORY_MANAGED) ledgers->managed -= mt_whole_pages(live->bytes);
        return;
    }
    struct mt_device_ledgers *device = ledgers_of(ledgers, live->device);
    tally_remove(&device->ledgers[live->ledger], live->taken);
    if (live->home)
        pool_leave(ledgers, live);
    else if (live->ledger == MT_LEDGER_PHYSICAL && live->key.space == MT_SPACE_ADDRESS)
        mt_footprint_remove(&device->linear, live->key.identity, live->taken);
    else if (live->ledger == MT_LEDGER_PHYSICAL)
        device->objects -= mt_whole_pages(live->taken);
    if (mt_live_is_used(live)) {
        tally_remove(&device->used, live->bytes);
        tally_remove(live->memory == MT_MEMORY_TENSOR ? &device->tensors : &device->others, live->bytes);
    }
    if (live->segment) tally_remove(&device->segments, live->taken);
}

static uint64_t less(uint64_t bytes, uint64_t part) {
    return bytes > part ? bytes - part : 0;
}

// Bytes of this process, where a figure of it is known. With that, figures of the whole device tell what others have,
// and what each measured call changed; what changed between calls is the others', until the next figure of its own.
static uint64_t own_bytes(struct mt_device_ledgers *device, const struct mt_sample *sample) {
    bool own_before = device->sampled && device->sample_source == MT_SAMPLE_PROCESS;
    if (sample->source == MT_SAMPLE_PROCESS) {
        device->others_known = sample->device_bytes || (device->sampled && (!own_before || device->others_known));
        if (sample->device_bytes)
            device->sample_others = less(sample->device_bytes, sample->used_bytes);
        else if (device->others_known)
            device->sample_others = less(in_use(device) + device->sample_others, sample->used_bytes);
        if (!own_before) device->in_use_peak = less(device->in_use_peak, device->sample_others);
        return sample->used_bytes;
    }
    if (!own_before) return sample->used_bytes;
    if (!sample->by_call || !device->others_known) device->sample_others = less(sample->used_bytes, in_use(device));
    device->others_known = true;
    return less(sample->used_bytes, device->sample_others);
}

void mt_ledgers_sample(struct mt_ledgers *ledgers, uint32_t ordinal, const struct mt_sample *sample) {
    struct mt_device_ledgers *device = ledgers_of(ledgers, ordinal);
    device->sample_bytes = own_bytes(device, sample);
    if (!device->sampled || sample->source == MT_SAMPLE_PROCESS) device->sample_source = sample->source;
    device->sampled = true;
    device->sample_total = sample->total_bytes;
    device->sample_taken = taken(device);
    note_in_use(device);
}

void mt_ledgers_pool(struct mt_ledgers *ledgers, uint64_t handle, uint32_t ordinal, uint64_t reserved_bytes) {
    struct mt_pool_ledger *pool = pool_of(ledgers, handle, ordinal);
    pool_tells(ledgers, pool, reserved_bytes);
    note_in_use(ledgers_of(ledgers, pool->device));
}

void mt_ledgers_pool_current(struct mt_ledgers *ledgers, uint64_t handle, uint32_t ordinal) {
    struct mt_device_ledgers *device = ledgers_of(ledgers, ordinal);
    struct mt_pool_ledger *unknown = find_pool(ledgers, unknown_pool(ordinal));
    // The first that is known is where those lie that came before, unless it was known by itself.
    if (!device->current && unknown && !find_pool(ledgers, handle)) {
        HASH_DEL(ledgers->pools, unknown);
        unknown->handle = handle;
        unknown->unknown = false;
        device->pool_held += held(unknown);
        HASH_ADD(hh, ledgers->pools, handle, sizeof(unknown->handle), unknown);
    }
    device->current = pool_of(ledgers, handle, ordinal);
}

void mt_ledgers_pool_place(struct mt_ledgers *ledgers, struct mt_live *live, uint64_t handle) {
    struct mt_pool_ledger *pool = pool_of(ledgers, handle, live->device);
    if (live->home == pool || !live->home) return;
    pool_leave(ledgers, live);
    pool_enter(ledgers, live, pool);
}

void mt_ledgers_pool_destroyed(struct mt_ledgers *ledgers, uint64_t handle) {
    struct mt_pool_ledger *pool = find_pool(ledgers, handle);
    if (!pool) return;
    for (uint32_t i = 0; i < ledgers->device_count; i++)
        if (ledgers->devices[i].current == pool) ledgers->devices[i].current = NULL;
    HASH_DEL(ledgers->pools, pool);
    if (pool->blocks) {
        pool->destroyed = true;
        pool->handle = (uintptr_t)pool;
        HASH_ADD(hh, ledgers->orphans, handle, sizeof(pool->handle), pool);
    } else {
        pool_tells(ledgers, pool, 0);
        free(pool);
    }
}

void mt_ledgers_migrated(struct mt_ledgers *ledgers, uint32_t ordinal, uint64_t bytes, bool here) {
    struct mt_device_ledgers *device = ledgers_of(ledgers, ordinal);
    device->migrated = here ? device->migrated + bytes : device->migrated - bytes;
    note_in_use(device);
}

void mt_ledgers_reset_pools(struct mt_ledgers *ledgers, uint32_t device) {
    struct mt_pool_ledger *pool, *next;
    HASH_ITER(hh, ledgers->pools, pool, next)
    if (pool->device == device) pool_tells(ledgers, pool, 0);
    HASH_ITER(hh, ledgers->orphans, pool, next)
    if (pool->device == device) pool_tells(ledgers, pool, 0);
}

void mt_ledgers_context_created(struct mt_ledgers *ledgers, uint32_t device) {
    ledgers_of(ledgers, device)->contexts++;
}

void mt_ledgers_context_ended(struct mt_ledgers *ledgers, uint32_t ordinal) {
    struct mt_device_ledgers *device = ledgers_of(ledgers, ordinal);
    if (device->contexts && --device->contexts) return;
    device->sample_bytes = device->sample_taken = 0;
}

void mt_ledgers_clear(struct mt_ledgers *ledgers) {
    mt_hash_free(ledgers->pools);
    mt_hash_free(ledgers->orphans);
    for (uint32_t i = 0; i < ledgers->device_count; i++) mt_footprint_clear(&ledgers->devices[i].linear);
    free(ledgers->devices);
    *ledgers = (struct mt_ledgers){0};
}

const struct mt_device_ledgers *mt_ledgers_device(const struct mt_ledgers *ledgers, uint32_t device) {
    return device < ledgers->device_count ? &ledgers->devices[device] : &no_ledgers;
}

uint64_t mt_ledgers_taken(const struct mt_ledgers *ledgers, uint32_t device) {
    return taken(mt_ledgers_device(ledgers, device));
}

uint64_t mt_ledgers_in_use(const struct mt_ledgers *ledgers, uint32_t device) {
    return in_use(mt_ledgers_device(ledgers, device));
}
