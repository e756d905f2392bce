/*
 * What a live set is made of, grouped by a criterion (by.h): bytes and number of allocations a group. Every allocation
 * of the account is in exactly one group, so the groups add up to the total. Where a framework's allocator works, its
 * blocks are the total, and what others took from the driver stands in a table of its own. Called by the views of the
 * peak and of what is live at the end.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_COMPOSITION_H
#define MEMTRACE_VIEWER_ANALYSIS_COMPOSITION_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/by.h"

struct mt_group {
    char *label;
    uint64_t bytes, count;
};

struct mt_group_table {
    struct mt_group *groups; // most bytes first
    size_t group_count, group_capacity;
    uint64_t bytes, count; // of all groups
};

struct mt_composition {
    const struct mt_by *by;
    struct mt_group_table total;  // what the account's total is made of
    struct mt_group_table beside; // what is no tensor, where tensors are the total
    uint64_t segment_bytes;       // what allocators hold from the device, in which their blocks lie …
    uint64_t segment_count;       // … not part of the total
    uint64_t in_use;              // device memory in use at that moment; 0 for the host
};

// Composes what the model holds now of an account. The caller ends it with mt_composition_clear.
void mt_composition_make(const struct mt_report *report, const struct mt_model *model, const struct mt_account *account,
                         struct mt_composition *out);
void mt_composition_clear(struct mt_composition *composition);

#endif
