/*
 * Parts of a sum, each with a label, a number of bytes and a count: filled piece by piece, pieces of one label being
 * one part. Called by analyses whose parts are not allocations alone.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_PARTS_H
#define MEMTRACE_VIEWER_ANALYSIS_PARTS_H

#include <stddef.h>
#include <stdint.h>

struct mt_part {
    const char *label; // interned
    uint64_t bytes, count;
};

struct mt_parts {
    struct mt_part *items;
    size_t count, capacity;
    uint64_t bytes, calls; // of all parts
};

// Labels are interned, so equal ones are one pointer.
void mt_parts_add(struct mt_parts *parts, const char *label, uint64_t bytes);
void mt_parts_sort(struct mt_parts *parts); // most bytes first; joins parts of one label
void mt_parts_clear(struct mt_parts *parts);

#endif
