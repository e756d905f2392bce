/*
 * Segments against the blocks in them; see cache.h.
 *
 * A segment is a range of addresses: one allocation, or one piece of virtual memory where an allocator maps many side
 * by side ("expandable segments"), whose free space then joins across their borders.
 */
#include "viewer/analysis/cache.h"

#include <stdlib.h>

#include "viewer/base/memory.h"

struct area {
    uint64_t start, end; // [start, end)
    bool mapped;         // a piece of virtual memory
};

struct areas {
    struct area *items;
    size_t count, capacity;
};

struct layout {
    const struct mt_model *model;
    uint32_t device;
    struct areas segments, blocks;
};

static void add_area(struct areas *areas, uint64_t start, uint64_t bytes, bool mapped) {
    if (!bytes || bytes > UINT64_MAX - start) return; // damage
    mt_grow(&areas->items, &areas->capacity, areas->count + 1);
    areas->items[areas->count++] = (struct area){start, start + bytes, mapped};
}

static int add_live(void *user, const struct mt_live *live) {
    struct layout *layout = user;
    if (live->device != layout->device) return 0;
    if (live->key.space == MT_SPACE_TENSOR)
        add_area(&layout->blocks, live->key.identity, live->bytes, false);
    else if (live->segment && live->key.space == MT_SPACE_ADDRESS)
        add_area(&layout->segments, live->key.identity, live->taken, false);
    return 0;
}

static void add_mapping(void *user, const struct mt_range *range) {
    struct layout *layout = user;
    const struct mt_live *live = mt_model_find(layout->model, MT_SPACE_OBJECT, range->value);
    if (live && live->segment && live->device == layout->device)
        add_area(&layout->segments, range->start, range->end - range->start, true);
}

static int by_start(const void *left, const void *right) {
    const struct area *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static void sort(struct areas *areas) {
    if (areas->count) qsort(areas->items, areas->count, sizeof(*areas->items), by_start);
}

// A walk along the addresses.
struct walk {
    const struct areas *blocks;
    size_t next;   // the first block that ends behind where the walk is
    uint64_t free; // bytes up to there, since the last block or the last border that ends a piece
    struct mt_cache_state *out;
};

static void add_free(struct walk *walk, uint64_t bytes) {
    walk->free += bytes;
    if (walk->free > walk->out->largest) walk->out->largest = walk->free;
}

static void walk_segment(struct walk *walk, const struct area *segment) {
    struct mt_cache_state *out = walk->out;
    const struct areas *blocks = walk->blocks;
    uint64_t at = segment->start, hole_bytes = 0, holes = 0;
    bool empty = true;
    while (walk->next < blocks->count && blocks->items[walk->next].end <= at) walk->next++;
    for (; walk->next < blocks->count && blocks->items[walk->next].start < segment->end; walk->next++) {
        const struct area *block = &blocks->items[walk->next];
        if (block->start > at) {
            add_free(walk, block->start - at);
            hole_bytes += block->start - at;
            holes++;
        }
        if (block->start >= segment->start) out->blocks++;
        empty = false;
        walk->free = 0;
        if (block->end > at) at = block->end < segment->end ? block->end : segment->end;
        if (block->end > segment->end) break; // it goes on in the next one
    }
    if (at < segment->end) {
        add_free(walk, segment->end - at);
        hole_bytes += segment->end - at;
        holes++;
    }
    uint64_t bytes = segment->end - segment->start;
    out->reserved += bytes;
    out->segments++;
    out->handed_out += bytes - hole_bytes;
    if (empty) {
        out->free_bytes += bytes;
        out->free_segments++;
    } else {
        out->hole_bytes += hole_bytes;
        out->holes += holes;
    }
}

void mt_cache_measure(const struct mt_model *model, uint32_t device, struct mt_cache_state *out) {
    struct layout layout = {.model = model, .device = device};
    mt_model_each_live(model, add_live, &layout);
    mt_model_each_mapping(model, add_mapping, &layout);
    sort(&layout.segments);
    sort(&layout.blocks);
    *out = (struct mt_cache_state){0};
    struct walk walk = {.blocks = &layout.blocks, .out = out};
    for (size_t i = 0; i < layout.segments.count; i++) {
        const struct area *segment = &layout.segments.items[i], *last = i ? segment - 1 : NULL;
        if (!last || !last->mapped || !segment->mapped || last->end != segment->start) walk.free = 0;
        walk_segment(&walk, segment);
    }
    free(layout.segments.items);
    free(layout.blocks.items);
}

// What is followed of one allocator.
struct growth {
    struct mt_cache cache;
    uint64_t most, peak_index;
    uint64_t cached; // before it last began to grow
    bool growing;    // segments came, but not yet the block they are for
};

struct follower {
    struct growth *devices;
    size_t count, left;
};

static void on_segment(struct growth *growth, const struct mt_device_ledgers *ledgers, const struct mt_live *segment) {
    if (growth->growing) return;
    uint64_t before = ledgers->segments.bytes - segment->taken;
    growth->cached = before > ledgers->tensors.bytes ? before - ledgers->tensors.bytes : 0;
    growth->growing = true;
}

static void on_block(struct growth *growth, const struct mt_device_ledgers *ledgers, const struct mt_change *change) {
    if (growth->growing) {
        growth->cache.growths++;
        if (growth->cached >= change->live->bytes) growth->cache.vain++;
        growth->growing = false;
    }
    if (ledgers->segments.bytes <= growth->most) return;
    growth->most = ledgers->segments.bytes;
    growth->peak_index = change->index;
    growth->cache.peak_bytes = change->live->bytes;
    growth->cache.peak_stack = change->live->stack;
}

static int follow(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct follower *follower = user;
    if (change->kind != MT_CHANGE_ALLOCATED || change->live->device >= follower->count) return 0;
    struct growth *growth = &follower->devices[change->live->device];
    const struct mt_device_ledgers *ledgers = mt_ledgers_device(mt_model_ledgers(model), change->live->device);
    if (change->live->segment) on_segment(growth, ledgers, change->live);
    if (change->live->key.space == MT_SPACE_TENSOR) on_block(growth, ledgers, change);
    return 0;
}

static int measure_peak(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct follower *follower = user;
    if (change->kind != MT_CHANGE_ALLOCATED || change->live->key.space != MT_SPACE_TENSOR) return 0;
    if (change->live->device >= follower->count) return 0;
    struct growth *growth = &follower->devices[change->live->device];
    if (!growth->most || growth->peak_index != change->index) return 0;
    mt_cache_measure(model, change->live->device, &growth->cache.peak);
    growth->cache.peak.time_ns = change->event->time_ns;
    return --follower->left == 0;
}

void mt_caches_find(const struct mt_report *report, struct mt_caches *out) {
    struct follower follower = {.count = mt_model_ledgers(report->end)->device_count};
    *out = (struct mt_caches){0};
    if (!report->segments.count) return;
    follower.devices = mt_allocate(follower.count * sizeof(*follower.devices));
    mt_report_replay(report, follow, &follower);
    for (size_t i = 0; i < follower.count; i++) follower.left += follower.devices[i].most > 0;
    if (follower.left) mt_report_replay(report, measure_peak, &follower);
    out->items = mt_allocate(follower.count * sizeof(*out->items));
    for (uint32_t i = 0; i < follower.count; i++) {
        struct mt_cache *cache = &follower.devices[i].cache;
        if (!follower.devices[i].most) continue;
        cache->device = i;
        mt_cache_measure(report->end, i, &cache->end);
        cache->end.time_ns = report->survey.last_time_ns;
        out->items[out->count++] = *cache;
    }
    free(follower.devices);
}
