/*
 * Disjoint address ranges; see ranges.h. Ranges that overlap compare equal, which is a total order on disjoint ones.
 */
#include "viewer/base/ranges.h"

#include <search.h>
#include <stdlib.h>

#include "viewer/base/memory.h"

static int compare(const void *left, const void *right) {
    const struct mt_range *a = left, *b = right;
    if (a->end <= b->start) return -1;
    if (b->end <= a->start) return 1;
    return 0;
}

// A range that would wrap around the address space ends at its top; an empty one still has a place.
static struct mt_range range_of(uint64_t start, uint64_t bytes) {
    if (bytes == 0) bytes = 1;
    return (struct mt_range){.start = start, .end = bytes > UINT64_MAX - start ? UINT64_MAX : start + bytes};
}

void mt_ranges_clear(struct mt_ranges *ranges) {
    tdestroy(ranges->root, free);
    ranges->root = NULL;
}

void mt_ranges_add(struct mt_ranges *ranges, uint64_t start, uint64_t bytes, uint64_t value) {
    struct mt_range overlapped;
    while (mt_ranges_take(ranges, start, bytes, &overlapped)) continue;
    struct mt_range *range = mt_allocate(sizeof(*range));
    *range = range_of(start, bytes);
    range->value = value;
    tsearch(range, &ranges->root, compare);
}

struct mt_range *mt_ranges_find_in(const struct mt_ranges *ranges, uint64_t start, uint64_t bytes) {
    struct mt_range key = range_of(start, bytes);
    struct mt_range *const *found = tfind(&key, &ranges->root, compare);
    return found ? *found : NULL;
}

struct mt_range *mt_ranges_find(const struct mt_ranges *ranges, uint64_t address) {
    return mt_ranges_find_in(ranges, address, 1);
}

bool mt_ranges_take(struct mt_ranges *ranges, uint64_t start, uint64_t bytes, struct mt_range *taken) {
    struct mt_range key = range_of(start, bytes);
    struct mt_range *const *found = tfind(&key, &ranges->root, compare);
    if (!found) return false;
    struct mt_range *range = *found;
    *taken = *range;
    tdelete(range, &ranges->root, compare);
    free(range);
    return true;
}

struct visit {
    mt_range_fn *fn;
    void *user;
};

static void visit_node(const void *node, VISIT when, void *closure) {
    const struct visit *visit = closure;
    if (when == postorder || when == leaf) visit->fn(visit->user, *(struct mt_range *const *)node);
}

void mt_ranges_each(const struct mt_ranges *ranges, mt_range_fn *fn, void *user) {
    twalk_r(ranges->root, visit_node, &(struct visit){fn, user});
}
