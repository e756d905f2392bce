// Pools by steps: a block goes to the lowest addresses that fit, the steps it touches are backed with device memory if
// they aren't yet, and stay so until a trim finds them idle.
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/layout.h"
#include "tests/simcuda/driver/memory.h"
#include <stdlib.h>

static struct sim_pool *all_pools;

static bool is_on_host(const struct sim_pool *pool) {
    return pool->properties.location.type != CU_MEM_LOCATION_TYPE_DEVICE;
}

static bool takes_device_memory(const struct sim_pool *pool) {
    return !pool->imported && !is_on_host(pool);
}

struct sim_pool *sim_pool_new(struct sim_device *device, const CUmemPoolProps *properties) {
    struct sim_pool *pool = calloc(1, sizeof(*pool));
    if (!pool) return NULL;
    pool->device = device;
    pool->properties = *properties;
    pool->maximum = properties->maxSize;
    for (int i = 0; i < 3; i++) pool->reuse[i] = 1;
    if (!is_on_host(pool)) pool->access[device->ordinal] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    pool->next = all_pools;
    all_pools = pool;
    sim_object_add(&pool->object, SIM_KIND_POOL, NULL);
    return pool;
}

struct sim_pool *sim_pool_of(CUmemoryPool handle) {
    return sim_object_of(handle, SIM_KIND_POOL);
}

struct sim_pool *sim_pool_default(struct sim_device *device) {
    if (!device->default_pool) {
        CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->ordinal}};
        device->default_pool = sim_pool_new(device, &properties);
    }
    return device->default_pool;
}

struct sim_pool *sim_pool_current(struct sim_device *device) {
    return device->current_pool ? device->current_pool : sim_pool_default(device);
}

static uint64_t steps_of(const struct sim_span *span) {
    return span->bytes / SIM_POOL_STEP;
}

static struct sim_span *span_of(struct sim_pool *pool, uint64_t address) {
    for (int i = 0; i < pool->span_count; i++) {
        struct sim_span *span = &pool->spans[i];
        if (address - span->addresses->start < span->bytes) return span;
    }
    return NULL;
}

// Gives the pool more addresses: for all of the device's memory where there are plenty, or at least for the block.
static CUresult add_span(struct sim_pool *pool, uint64_t bytes) {
    if (pool->span_count == SIM_POOL_SPANS) return CUDA_ERROR_OUT_OF_MEMORY;
    struct sim_space *addresses = &pool->device->pool_addresses;
    uint64_t least = sim_round_up(bytes, SIM_POOL_STEP), wanted = sim_round_up(pool->device->capacity, SIM_POOL_STEP);
    if (wanted > sim_layout_stride() / 8) wanted = sim_round_up(sim_layout_stride() / 8, SIM_POOL_STEP);
    if (wanted < least) wanted = least;
    struct sim_range *range = sim_space_take(addresses, wanted + SIM_POOL_STEP, SIM_POOL_STEP);
    if (!range) range = sim_space_take(addresses, least + SIM_POOL_STEP, SIM_POOL_STEP);
    if (!range) return CUDA_ERROR_OUT_OF_MEMORY;
    struct sim_span *span = &pool->spans[pool->span_count];
    span->addresses = range;
    span->bytes = range->bytes - SIM_POOL_STEP;
    span->blocks = calloc(steps_of(span), sizeof(*span->blocks));
    span->backed = calloc(steps_of(span), sizeof(*span->backed));
    if (!span->blocks || !span->backed || sim_space_add(&pool->space, range->start, span->bytes)) {
        free(span->blocks);
        free(span->backed);
        sim_space_give(addresses, range);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    range->owner = pool;
    pool->span_count++;
    return CUDA_SUCCESS;
}

// The steps that a block touches, as [first, last] of its span.
static struct sim_span *touched(struct sim_pool *pool, const struct sim_range *range, uint64_t *first, uint64_t *last) {
    struct sim_span *span = span_of(pool, range->start);
    *first = (range->start - span->addresses->start) / SIM_POOL_STEP;
    *last = (range->start + range->bytes - 1 - span->addresses->start) / SIM_POOL_STEP;
    return span;
}

static CUresult back(struct sim_pool *pool, const struct sim_range *range) {
    uint64_t first, last, missing = 0;
    struct sim_span *span = touched(pool, range, &first, &last);
    for (uint64_t i = first; i <= last; i++) missing += !span->backed[i];
    uint64_t bytes = missing * SIM_POOL_STEP;
    if (pool->maximum && pool->reserved + bytes > sim_round_up(pool->maximum, SIM_POOL_STEP))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (takes_device_memory(pool)) {
        CUresult result = sim_device_take(pool->device, bytes);
        if (result != CUDA_SUCCESS) return result;
    }
    for (uint64_t i = first; i <= last; i++) {
        pool->idle_steps -= span->backed[i] && !span->blocks[i];
        span->backed[i] = true;
        span->blocks[i]++;
    }
    pool->reserved += bytes;
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
    return CUDA_SUCCESS;
}

CUresult sim_pool_take(struct sim_pool *pool, uint64_t bytes, struct sim_range **result) {
    if (bytes > pool->device->capacity) return CUDA_ERROR_OUT_OF_MEMORY;
    uint64_t taken = sim_round_up(bytes, SIM_ALIGN);
    struct sim_range *range = sim_space_take(&pool->space, taken, SIM_ALIGN);
    if (!range && add_span(pool, taken) == CUDA_SUCCESS) range = sim_space_take(&pool->space, taken, SIM_ALIGN);
    if (!range) return CUDA_ERROR_OUT_OF_MEMORY;
    if (back(pool, range) != CUDA_SUCCESS) { // what other pools hold idle helps out
        for (struct sim_pool *other = all_pools; other; other = other->next)
            if (other->device == pool->device) sim_pool_trim(other, 0);
        if (back(pool, range) != CUDA_SUCCESS) {
            sim_space_give(&pool->space, range);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    sim_range_describe(range, SIM_POOLED, bytes, is_on_host(pool) ? -1 : pool->device->ordinal, NULL);
    range->owner = pool;
    pool->live++;
    pool->used += taken;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    *result = range;
    return CUDA_SUCCESS;
}

static void release_all(struct sim_pool *pool);

void sim_pool_give(struct sim_range *range) {
    struct sim_pool *pool = range->owner;
    uint64_t first, last;
    struct sim_span *span = touched(pool, range, &first, &last);
    for (uint64_t i = first; i <= last; i++) pool->idle_steps += --span->blocks[i] == 0;
    pool->used -= range->bytes;
    pool->live--;
    sim_range_forget_contents(range);
    sim_space_give(&pool->space, range);
    if (pool->closing && !pool->live) release_all(pool);
}

void sim_pool_trim(struct sim_pool *pool, uint64_t keep) {
    for (int s = pool->span_count - 1; s >= 0 && pool->idle_steps; s--) {
        struct sim_span *span = &pool->spans[s];
        for (uint64_t i = steps_of(span); i-- > 0 && pool->reserved > keep && pool->idle_steps;) {
            if (!span->backed[i] || span->blocks[i]) continue;
            span->backed[i] = false;
            pool->idle_steps--;
            pool->reserved -= SIM_POOL_STEP;
            if (takes_device_memory(pool)) sim_device_give(pool->device, SIM_POOL_STEP);
        }
    }
}

void sim_pools_settle(struct sim_device *device) {
    for (struct sim_pool *pool = all_pools; pool; pool = pool->next)
        if (pool->device == device && pool->idle_steps && pool->reserved > pool->threshold)
            sim_pool_trim(pool, pool->threshold);
}

// Returns reservations, addresses and the pool itself.
static void release_all(struct sim_pool *pool) {
    sim_pool_trim(pool, 0);
    for (int i = 0; i < pool->span_count; i++) {
        struct sim_span *span = &pool->spans[i];
        sim_space_take_away(&pool->space, span->addresses->start, span->bytes);
        sim_space_give(&pool->device->pool_addresses, span->addresses);
        free(span->blocks);
        free(span->backed);
    }
    sim_space_free_nodes(&pool->space);
    for (struct sim_pool **at = &all_pools; *at; at = &(*at)->next)
        if (*at == pool) {
            *at = pool->next;
            break;
        }
    free(pool);
}

void sim_pool_destroy(struct sim_pool *pool) {
    if (pool->device->current_pool == pool) pool->device->current_pool = NULL;
    sim_object_remove(&pool->object);
    pool->closing = true;
    if (!pool->live) release_all(pool);
}

void sim_pools_end(struct sim_device *device) {
    for (struct sim_pool *pool = all_pools, *next; pool; pool = next) {
        next = pool->next;
        if (pool->device != device || is_on_host(pool)) continue;
        // The last block of a closing pool takes the pool with it.
        uint64_t address = 0;
        for (uint64_t live = pool->live; live > 0; live--) {
            struct sim_range *range = sim_space_next(&pool->space, address);
            address = range->start + range->bytes;
            bool last_of_closing = pool->closing && live == 1;
            sim_pool_give(range);
            if (last_of_closing) pool = NULL;
        }
        if (pool) sim_pool_trim(pool, 0);
    }
}

struct sim_range *sim_pool_find(struct sim_device *device, uint64_t address) {
    struct sim_range *span = sim_space_find(&device->pool_addresses, address);
    if (!span || span->use == SIM_GRAPH) return span;
    struct sim_pool *pool = span->owner;
    return sim_space_find(&pool->space, address);
}
