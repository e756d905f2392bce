/*
 * Parts of a sum; see parts.h. Pieces are kept as they come and joined when they are sorted.
 */
#include "viewer/analysis/parts.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"

void mt_parts_add(struct mt_parts *parts, const char *label, uint64_t bytes) {
    mt_grow(&parts->items, &parts->capacity, parts->count + 1);
    parts->items[parts->count++] = (struct mt_part){label, bytes, 1};
    parts->bytes += bytes;
    parts->calls++;
}

static int by_label(const void *left, const void *right) {
    const struct mt_part *a = left, *b = right;
    return strcmp(a->label, b->label);
}

static int most_bytes_first(const void *left, const void *right) {
    const struct mt_part *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return by_label(left, right);
}

void mt_parts_sort(struct mt_parts *parts) {
    size_t joined = 0;
    if (!parts->count) return;
    qsort(parts->items, parts->count, sizeof(*parts->items), by_label);
    for (size_t i = 1; i < parts->count; i++) {
        struct mt_part *last = &parts->items[joined], *next = &parts->items[i];
        if (next->label == last->label) {
            last->bytes += next->bytes;
            last->count += next->count;
        } else {
            parts->items[++joined] = *next;
        }
    }
    parts->count = joined + 1;
    qsort(parts->items, parts->count, sizeof(*parts->items), most_bytes_first);
}

void mt_parts_clear(struct mt_parts *parts) {
    free(parts->items);
    *parts = (struct mt_parts){0};
}
