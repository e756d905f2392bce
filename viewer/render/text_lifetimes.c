/*
 * Lives → text; see text_lives.h.
 */
#include "viewer/render/text_lifetimes.h"

#include <inttypes.h>

#include "viewer/analysis/by.h"

static void write_row(FILE *out, const struct mt_lifetimes_row *row, enum mt_units units) {
    char after[32] = "-";
    if (row->end) snprintf(after, sizeof(after), "%.3f s", (double)row->after_ns / 1e9);
    fprintf(out, "  %17s  %10s  %7" PRIu64 "  %9.3f s  %11s  %s, %s%s\n", mt_exact(row->bytes).text,
            mt_size(row->bytes, units).text, row->count, (double)row->before_ns / 1e9, after, row->label,
            row->end ? "freed by " : "live at the end", row->end ? row->end : "");
}

void mt_text_lifetimes(FILE *out, const struct mt_report *report, struct mt_lifetimes *lives) {
    const struct mt_options *options = report->options;
    size_t count;
    const struct mt_lifetimes_row *rows = mt_lifetimes_rows(lives, &count);
    size_t shown = options->top && count > (size_t)options->top + 1 ? options->top : count;
    fprintf(out, "  How long these had been live, and how long it took until they were freed, at most:\n");
    fprintf(out, "  %17s  %10s  %7s  %11s  %11s  %s\n", "bytes", "", "count", "live for", "freed after",
            options->by->header);
    uint64_t bytes = 0, allocations = 0;
    for (size_t i = 0; i < count; i++) {
        if (i < shown) write_row(out, &rows[i], options->units);
        bytes += i < shown ? 0 : rows[i].bytes;
        allocations += i < shown ? 0 : rows[i].count;
    }
    if (shown < count)
        fprintf(out, "  %17s  %10s  %7" PRIu64 "  %11s  %11s  … %zu more\n", mt_exact(bytes).text,
                mt_size(bytes, options->units).text, allocations, "", "", count - shown);
}
