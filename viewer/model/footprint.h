/*
 * How much device memory linear allocations really take. The device hands memory out in pages of 2 MiB, and small
 * allocations share one: what counts is how many pages have something in them. Measured on an H200: 100 bytes take
 * 2 MiB, the next MiB takes nothing, 3 MiB take 4, and a page goes with the last allocation in it. Kept by the ledgers.
 */
#ifndef MEMTRACE_VIEWER_MODEL_FOOTPRINT_H
#define MEMTRACE_VIEWER_MODEL_FOOTPRINT_H

#include <stdint.h>

#define MT_DEVICE_PAGE ((uint64_t)2 << 20)

struct mt_footprint {
    uint64_t bytes;         // of all pages in use
    struct mt_page *shared; // the pages that an allocation does not fill
};

void mt_footprint_add(struct mt_footprint *footprint, uint64_t address, uint64_t bytes);
void mt_footprint_remove(struct mt_footprint *footprint, uint64_t address, uint64_t bytes); // as it was added
void mt_footprint_clear(struct mt_footprint *footprint);

// What an allocation that shares its pages with nothing takes.
uint64_t mt_whole_pages(uint64_t bytes);

#endif
