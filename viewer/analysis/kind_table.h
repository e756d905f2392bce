/*
 * How much of each kind of memory (kinds.h) an account holds: at its peak, by verdict, and at most in each step of the
 * training. Called by view_kinds.c.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_KIND_TABLE_H
#define MEMTRACE_VIEWER_ANALYSIS_KIND_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/kinds.h"

// Steps kept one by one; behind them only the last.
#define MT_STEP_ROWS 1000

struct mt_kind_group {
    const struct mt_verdict *verdict;
    uint64_t bytes, count;
};

// Steps in a row in which every kind came to the same.
struct mt_step_row {
    uint32_t first, last; // 0: before the first step
    uint64_t total;       // the account's own, at most
    uint64_t most[MT_KINDS];
    uint64_t cached;
};

struct mt_kind_table {
    uint64_t peak_bytes, peak_time_ns;
    uint32_t peak_step;
    struct mt_kind_group *total,
        *beside; // by verdict, in their order; `beside`: what is no tensor, where tensors count
    size_t total_count, beside_count;
    uint64_t total_number; // of allocations in `total`
    uint64_t cached;       // held from the device by allocators, and in no block
    struct mt_step_row *rows;
    size_t row_count, row_capacity;
    uint64_t rows_left_out;
};

void mt_kind_table_make(struct mt_report *report, struct mt_phases *phases, const struct mt_kinds *kinds,
                        const struct mt_account *account, struct mt_kind_table *out);
void mt_kind_table_clear(struct mt_kind_table *table);

#endif
