/*
 * Following memory pools through a trace; see pools.h. An allocation names its pool only if the program did; else it
 * came out of the device's current one, which is known by the sample that follows the allocation. A first pass finds
 * when each pool held most, a second one looks at the holes then: to look at each new peak would take too long.
 */
#include "viewer/analysis/pools.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

struct block {
    uint64_t address, bytes;
    size_t pool;
    UT_hash_handle hh;
};

// What is known of a pool at this point of the trace.
struct track {
    struct mt_pool_state now;
    uint64_t low, high; // of all addresses ever handed out
};

// When a pool held most.
struct peak {
    uint64_t reserved, index; // of the event
};

struct follower {
    struct mt_pools *out;
    struct track *tracks; // beside out->items
    size_t track_capacity;
    struct peak *peaks; // beside them, from the first pass
    size_t peak_capacity;
    bool second;                           // pass
    struct block *blocks;                  // that are live, by address
    size_t current[MT_HIGHEST_DEVICE + 1]; // number + 1 of each device's current pool, 0: not known yet
    struct block *unplaced;                // the last allocation, if it did not name its pool …
    uint32_t allocator;                    // … and the thread that made it
};

static size_t find_pool(const struct follower *follower, uint64_t handle) {
    for (size_t i = follower->out->count; i-- > 0;) {
        const struct mt_pool *pool = &follower->out->items[i];
        if (pool->handle == handle && !pool->destroyed) return i;
    }
    return SIZE_MAX;
}

static size_t pool_of(struct follower *follower, uint64_t handle, uint32_t device) {
    size_t found = find_pool(follower, handle);
    if (found != SIZE_MAX) return found;
    struct mt_pools *out = follower->out;
    mt_grow(&out->items, &out->capacity, out->count + 1);
    mt_grow(&follower->tracks, &follower->track_capacity, out->count + 1);
    mt_grow(&follower->peaks, &follower->peak_capacity, out->count + 1);
    out->items[out->count] = (struct mt_pool){.handle = handle, .device = device};
    follower->tracks[out->count] = (struct track){.low = UINT64_MAX};
    return out->count++;
}

// What the graphs of a device share has no handle: a number that no pointer has.
static size_t graphs_of(struct follower *follower, uint32_t device) {
    size_t number = pool_of(follower, (uint64_t)1 << 63 | device, device);
    follower->out->items[number].graphs = true;
    return number;
}

static int by_address(const void *left, const void *right) {
    const struct block *const *a = left, *const *b = right;
    return (*a)->address < (*b)->address ? -1 : (*a)->address > (*b)->address;
}

// The largest gap between a pool's blocks.
static uint64_t largest_hole(const struct follower *follower, size_t pool) {
    const struct track *track = &follower->tracks[pool];
    const struct mt_pool_state *state = &track->now;
    const struct block **sorted = mt_allocate((state->blocks + 1) * sizeof(*sorted));
    size_t count = 0;
    for (const struct block *block = follower->blocks; block; block = block->hh.next)
        if (block->pool == pool && count < state->blocks) sorted[count++] = block;
    qsort(sorted, count, sizeof(*sorted), by_address);
    uint64_t hole = 0, end = track->low;
    for (size_t i = 0; i < count; i++) {
        if (sorted[i]->address > end && sorted[i]->address - end > hole) hole = sorted[i]->address - end;
        end = sorted[i]->address + sorted[i]->bytes;
    }
    if (track->high > end && track->high - end > hole) hole = track->high - end;
    free(sorted);
    uint64_t unused = state->reserved > state->handed_out ? state->reserved - state->handed_out : 0;
    return hole < unused ? hole : unused;
}

static struct mt_pool_state state_at(const struct follower *follower, size_t pool, uint64_t time_ns) {
    struct mt_pool_state state = follower->tracks[pool].now;
    state.time_ns = time_ns;
    // What a pool told last may be older than its latest block.
    if (state.reserved < state.handed_out) state.reserved = state.handed_out;
    // Nodes of graphs have addresses of their own, in which their shared memory does not lie.
    if (!follower->out->items[pool].graphs) state.hole = largest_hole(follower, pool);
    return state;
}

static void place(struct follower *follower, struct block *block, size_t pool) {
    struct track *track = &follower->tracks[pool];
    block->pool = pool;
    track->now.handed_out += block->bytes;
    track->now.blocks++;
    if (block->address < track->low) track->low = block->address;
    if (block->address + block->bytes > track->high) track->high = block->address + block->bytes;
}

static void take_out(struct follower *follower, struct block *block) {
    struct mt_pool_state *now = &follower->tracks[block->pool].now;
    now->handed_out -= block->bytes;
    now->blocks--;
}

static void on_allocated(struct follower *follower, const struct mt_live *live) {
    struct block *block = mt_allocate(sizeof(*block));
    *block = (struct block){.address = live->key.identity, .bytes = live->bytes};
    size_t current = follower->current[live->device];
    bool graph = live->memory == MT_MEMORY_GRAPH;
    size_t pool = graph        ? graphs_of(follower, live->device)
                  : live->pool ? pool_of(follower, live->pool, live->device)
                  : current    ? current - 1
                               : pool_of(follower, 0, live->device);
    HASH_ADD(hh, follower->blocks, address, sizeof(block->address), block);
    place(follower, block, pool);
    follower->unplaced = live->pool || graph ? NULL : block;
    follower->allocator = live->thread;
}

static void on_freed(struct follower *follower, const struct mt_live *live) {
    struct block *block;
    HASH_FIND(hh, follower->blocks, &live->key.identity, sizeof(live->key.identity), block);
    if (!block) return;
    take_out(follower, block);
    HASH_DEL(follower->blocks, block);
    if (follower->unplaced == block) follower->unplaced = NULL;
    free(block);
}

static uint32_t device_of(const struct mt_record_event *event) {
    return event->tags[MT_TAG_DEVICE] <= MT_HIGHEST_DEVICE ? (uint32_t)event->tags[MT_TAG_DEVICE] : 0;
}

static void set_reserved(struct follower *follower, size_t number, uint64_t reserved, uint64_t index,
                         uint64_t time_ns) {
    struct peak *peak = &follower->peaks[number];
    follower->tracks[number].now.reserved = reserved;
    if (follower->second) {
        if (peak->reserved && peak->index == index)
            follower->out->items[number].peak = state_at(follower, number, time_ns);
    } else if (reserved > peak->reserved) {
        *peak = (struct peak){.reserved = reserved, .index = index};
    }
}

static void on_sampled(struct follower *follower, const struct mt_record_event *event, uint64_t index) {
    uint32_t device = device_of(event);
    size_t number = pool_of(follower, event->tags[MT_TAG_POOL], device);
    if (follower->unplaced && follower->allocator == event->thread) {
        take_out(follower, follower->unplaced);
        place(follower, follower->unplaced, number);
        follower->current[device] = number + 1;
        follower->unplaced = NULL;
    }
    set_reserved(follower, number, event->tags[MT_TAG_POOL_RESERVED], index, event->time_ns);
}

static void on_graph_memory(struct follower *follower, const struct mt_change *change) {
    size_t number = graphs_of(follower, change->live->device);
    uint64_t reserved = follower->tracks[number].now.reserved, bytes = change->live->taken;
    reserved = change->kind == MT_CHANGE_ALLOCATED ? reserved + bytes : reserved - bytes;
    set_reserved(follower, number, reserved, change->index, change->event->time_ns);
}

static void on_current(struct follower *follower, const struct mt_record_event *event) {
    uint32_t device = device_of(event);
    follower->current[device] = pool_of(follower, event->tags[MT_TAG_POOL], device) + 1;
}

static void on_destroyed(struct follower *follower, const struct mt_record_event *event) {
    size_t number = find_pool(follower, event->tags[MT_TAG_POOL]);
    if (number == SIZE_MAX) return;
    if (follower->second) follower->out->items[number].last = state_at(follower, number, event->time_ns);
    follower->out->items[number].destroyed = true;
    uint32_t device = follower->out->items[number].device;
    if (follower->current[device] == number + 1) follower->current[device] = 0;
}

// The call that allocated is over, unless this is still its doing: it may use its pool for the first time.
static bool ends_allocation(enum mt_effect effect) {
    return effect != MT_EFFECT_ALLOCATED && effect != MT_EFFECT_POOL_CREATED && effect != MT_EFFECT_POOL_SAMPLED;
}

static int follow(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct follower *follower = user;
    const struct mt_record_event *event = change->event;
    const struct mt_live *live = change->live;
    bool here = live && live->device <= MT_HIGHEST_DEVICE, graph = here && live->memory == MT_MEMORY_GRAPH;
    bool block = here && (graph ? live->key.space == MT_SPACE_ADDRESS : live->memory == MT_MEMORY_POOL);
    (void)model;
    if (event->thread == follower->allocator && ends_allocation(event->effect)) follower->unplaced = NULL;
    if (block && change->kind == MT_CHANGE_ALLOCATED) on_allocated(follower, change->live);
    if (block && change->kind == MT_CHANGE_FREED) on_freed(follower, change->live);
    if (graph && !block) on_graph_memory(follower, change);
    if (event->effect == MT_EFFECT_POOL_SAMPLED) on_sampled(follower, event, change->index);
    if (event->effect == MT_EFFECT_POOL_CURRENT) on_current(follower, event);
    if (event->effect == MT_EFFECT_POOL_DESTROYED) on_destroyed(follower, event);
    return 0;
}

static void forget_blocks(struct follower *follower) {
    mt_hash_free(follower->blocks);
    follower->unplaced = NULL;
}

static void replay(const struct mt_report *report, struct follower *follower) {
    forget_blocks(follower);
    memset(follower->current, 0, sizeof(follower->current));
    follower->out->count = 0;
    mt_report_replay(report, follow, follower);
}

void mt_pools_find(const struct mt_report *report, struct mt_pools *out) {
    struct follower *follower = mt_allocate(sizeof(*follower));
    *out = (struct mt_pools){0};
    follower->out = out;
    replay(report, follower);
    follower->second = true;
    if (out->count) replay(report, follower);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (!out->items[i].destroyed) out->items[i].last = state_at(follower, i, report->survey.last_time_ns);
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].peak.reserved) out->items[kept++] = out->items[i];
    out->count = kept;
    forget_blocks(follower);
    free(follower->tracks);
    free(follower->peaks);
    free(follower);
}

void mt_pools_clear(struct mt_pools *pools) {
    free(pools->items);
    *pools = (struct mt_pools){0};
}
