/*
 * Pages in use; see footprint.h. Only the first and the last page of an allocation can have room for another, so a
 * gigabyte costs no more to follow than a byte.
 */
#include "viewer/model/footprint.h"

#include <stdlib.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

struct mt_page {
    uint64_t number; // address / MT_DEVICE_PAGE
    uint64_t users;
    UT_hash_handle hh;
};

static void enter(struct mt_footprint *footprint, uint64_t number) {
    struct mt_page *page;
    HASH_FIND(hh, footprint->shared, &number, sizeof(number), page);
    if (!page) {
        page = mt_allocate(sizeof(*page));
        page->number = number;
        HASH_ADD(hh, footprint->shared, number, sizeof(page->number), page);
        footprint->bytes += MT_DEVICE_PAGE;
    }
    page->users++;
}

static void leave(struct mt_footprint *footprint, uint64_t number) {
    struct mt_page *page;
    HASH_FIND(hh, footprint->shared, &number, sizeof(number), page);
    if (!page || --page->users) return;
    HASH_DEL(footprint->shared, page);
    free(page);
    footprint->bytes -= MT_DEVICE_PAGE;
}

typedef void page_change(struct mt_footprint *footprint, uint64_t number);

// Changes the pages that an allocation shares, and returns the bytes of those that it fills.
static uint64_t each_page(struct mt_footprint *footprint, uint64_t address, uint64_t bytes, page_change *change) {
    if (!bytes || bytes > UINT64_MAX - address) return 0;
    uint64_t first = address / MT_DEVICE_PAGE, end = (address + bytes - 1) / MT_DEVICE_PAGE + 1;
    if (address % MT_DEVICE_PAGE) change(footprint, first++);
    if (first < end && (address + bytes) % MT_DEVICE_PAGE) change(footprint, --end);
    return first < end ? (end - first) * MT_DEVICE_PAGE : 0;
}

void mt_footprint_add(struct mt_footprint *footprint, uint64_t address, uint64_t bytes) {
    footprint->bytes += each_page(footprint, address, bytes, enter);
}

void mt_footprint_remove(struct mt_footprint *footprint, uint64_t address, uint64_t bytes) {
    footprint->bytes -= each_page(footprint, address, bytes, leave);
}

void mt_footprint_clear(struct mt_footprint *footprint) {
    mt_hash_free(footprint->shared);
    *footprint = (struct mt_footprint){0};
}

uint64_t mt_whole_pages(uint64_t bytes) {
    uint64_t rest = bytes % MT_DEVICE_PAGE;
    return rest && bytes <= UINT64_MAX - MT_DEVICE_PAGE ? bytes + MT_DEVICE_PAGE - rest : bytes;
}
