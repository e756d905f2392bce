/*
 * Finds the allocations that a framework's blocks lie in; see segments.h.
 *
 * A block can lie in one cudaMalloc, or, with expandable segments, across several VMM allocations mapped side by side
 * in one reserved address range. Such a range belongs to the allocator as a whole: what is mapped there and not handed
 * out is its cache, not the program's memory.
 */
#include "viewer/model/segments.h"

#include <stdlib.h>

#include "viewer/base/memory.h"
#include "viewer/base/ranges.h"

struct search {
    struct mt_segments *found;
    struct mt_ranges blocks;       // value: index of the allocation
    struct mt_ranges mappings;     // value: index of the VMM allocation mapped there
    struct mt_ranges reservations; // value: 1 when the allocator's
};

static void mark(struct search *search, uint64_t index) {
    mt_grow(&search->found->indices, &search->found->capacity, search->found->count + 1);
    search->found->indices[search->found->count++] = index;
}

static void mark_mappings(struct search *search, uint64_t start, uint64_t end) {
    for (uint64_t at = start; at < end;) {
        const struct mt_range *mapping = mt_ranges_find(&search->mappings, at);
        if (!mapping) return; // mappings of one allocator stand side by side
        mark(search, mapping->value);
        at = mapping->end;
    }
}

static void on_tensor(struct search *search, const struct mt_live *tensor) {
    struct mt_range *reservation = mt_ranges_find(&search->reservations, tensor->key.identity);
    if (reservation && !reservation->value) {
        reservation->value = 1;
        mark_mappings(search, reservation->start, reservation->end);
    }
    struct mt_range block;
    // Taken out: once marked, nothing more is to be learnt about it.
    if (mt_ranges_take(&search->blocks, tensor->key.identity, 1, &block)) mark(search, block.value);
}

static void on_allocated(struct search *search, const struct mt_live *live) {
    if (live->key.space == MT_SPACE_TENSOR)
        on_tensor(search, live);
    else if (live->key.space == MT_SPACE_RESERVED)
        mt_ranges_add(&search->reservations, live->key.identity, live->bytes, 0);
    else if (live->key.space == MT_SPACE_ADDRESS && mt_live_is_used(live))
        mt_ranges_add(&search->blocks, live->key.identity, live->bytes, live->index);
}

static void on_freed(struct search *search, const struct mt_live *live) {
    struct mt_range ended;
    if (live->key.space == MT_SPACE_RESERVED)
        mt_ranges_take(&search->reservations, live->key.identity, 1, &ended);
    else if (live->key.space == MT_SPACE_ADDRESS && mt_live_is_used(live))
        mt_ranges_take(&search->blocks, live->key.identity, 1, &ended);
}

static void on_mapped(struct search *search, const struct mt_model *model, const struct mt_record_event *event) {
    const struct mt_live *live = mt_model_find(model, MT_SPACE_OBJECT, event->tags[MT_TAG_OBJECT]);
    if (!live) return;
    mt_ranges_add(&search->mappings, event->address, event->bytes, live->index);
    const struct mt_range *reservation = mt_ranges_find(&search->reservations, event->address);
    if (reservation && reservation->value) mark(search, live->index);
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct search *search = user;
    struct mt_range ended;
    if (change->kind == MT_CHANGE_ALLOCATED)
        on_allocated(search, change->live);
    else if (change->kind == MT_CHANGE_FREED)
        on_freed(search, change->live);
    if (change->event->effect == MT_EFFECT_MAPPED)
        on_mapped(search, model, change->event);
    else if (change->event->effect == MT_EFFECT_UNMAPPED)
        while (mt_ranges_take(&search->mappings, change->event->address, change->event->bytes, &ended)) continue;
    return 0;
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

struct pass {
    struct mt_model *model;
    struct search search;
};

static int apply(void *user, const struct mt_record_event *event) {
    struct pass *pass = user;
    return mt_model_apply(pass->model, event, observe, &pass->search);
}

int mt_segments_find(struct mt_reader *reader, const struct mt_definitions *definitions, struct mt_segments *out) {
    *out = (struct mt_segments){0};
    if (!mt_definitions_has_memory(definitions, MT_MEMORY_TENSOR)) return 0;
    struct pass pass = {.model = mt_model_new(definitions, NULL), .search = {.found = out}};
    int status = mt_reader_events(reader, apply, &pass);
    if (out->count) qsort(out->indices, out->count, sizeof(*out->indices), ascending);
    mt_ranges_clear(&pass.search.blocks);
    mt_ranges_clear(&pass.search.mappings);
    mt_ranges_clear(&pass.search.reservations);
    mt_model_free(pass.model);
    return status;
}
