/*
 * Disjoint address ranges, each with a number: which allocation holds an address? A balanced tree (tsearch); called by
 * the model for mappings of virtual memory and by segments.c to find an allocator's blocks inside its segments.
 */
#ifndef MEMTRACE_VIEWER_BASE_RANGES_H
#define MEMTRACE_VIEWER_BASE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct mt_range {
    uint64_t start, end; // [start, end)
    uint64_t value;
};

struct mt_ranges {
    void *root; // all zero: empty
};

void mt_ranges_clear(struct mt_ranges *ranges);

// Adds a range. What overlaps it is taken out first: it must have ended unseen.
void mt_ranges_add(struct mt_ranges *ranges, uint64_t start, uint64_t bytes, uint64_t value);

// The range that holds this address, or NULL. Valid until the next change.
struct mt_range *mt_ranges_find(const struct mt_ranges *ranges, uint64_t address);

// One range that overlaps [start, start + bytes), or NULL. Valid until the next change.
struct mt_range *mt_ranges_find_in(const struct mt_ranges *ranges, uint64_t start, uint64_t bytes);

// Takes out one range that overlaps [start, start + bytes); false when none is left.
bool mt_ranges_take(struct mt_ranges *ranges, uint64_t start, uint64_t bytes, struct mt_range *taken);

// All ranges, in no order.
typedef void mt_range_fn(void *user, const struct mt_range *range);
void mt_ranges_each(const struct mt_ranges *ranges, mt_range_fn *fn, void *user);

#endif
