/*
 * Reconciliation → text; see text_hidden.h.
 */
#include "viewer/render/text_hidden.h"

#include "viewer/model/footprint.h"
#include "viewer/render/text_table.h"

static void write_parts(const struct mt_text_table *table, const struct mt_parts *parts, uint32_t top,
                        const char *rest) {
    size_t shown = parts->count;
    // A line that stands for one part is no shorter than the part.
    if (top && shown > (size_t)top + 1) shown = top;
    uint64_t bytes = parts->bytes, calls = parts->calls;
    for (size_t i = 0; i < shown; i++) {
        mt_text_table_row(table, parts->items[i].bytes, parts->items[i].count, parts->items[i].label);
        bytes -= parts->items[i].bytes;
        calls -= parts->items[i].count;
    }
    if (shown == parts->count) return;
    char label[96];
    snprintf(label, sizeof(label), "… %zu more %s", parts->count - shown, rest);
    mt_text_table_row(table, bytes, calls, label);
}

// Parts of the row above are indented.
static void write_held(const struct mt_text_table *table, const struct mt_held *held, const char *label,
                       const char *unused) {
    if (!held->bytes && !held->handed_out) return;
    mt_text_table_row(table, held->bytes, held->count, label);
    mt_text_table_row(table, held->handed_out, held->blocks, "  handed out");
    if (held->handed_out > held->bytes)
        mt_text_table_row(table, held->handed_out - held->bytes, 0,
                          "  disagreement: so much more is handed out than held, as far as the trace goes");
    else
        mt_text_table_row(table, held->bytes - held->handed_out, 0, unused);
}

static void write_traced(const struct mt_text_table *table, const struct mt_hidden *hidden, uint32_t top) {
    char rounding[96];
    snprintf(rounding, sizeof(rounding), "rounding to the device's pages of %s",
             mt_size(MT_DEVICE_PAGE, table->units).text);
    write_held(table, &hidden->segments, "segments of a framework's allocator", "  cached: see --pools");
    write_held(table, &hidden->pools, "memory pools", "  reserved, not handed out: see --pools");
    write_parts(table, &hidden->allocations, top, "call sites");
    if (hidden->rounding) mt_text_table_row(table, hidden->rounding, 0, rounding);
    if (hidden->overlap)
        mt_text_table_row(table, hidden->overlap, 0, "disagreement: so much of these rows overlaps, and counts once");
    mt_text_table_row(table, hidden->traced, hidden->segments.count + hidden->allocations.calls, "traced: allocations");
}

static void write_rest(const struct mt_text_table *table, const struct mt_hidden *hidden) {
    if (hidden->unexplained < 0)
        mt_text_table_row(table, 0 - (uint64_t)hidden->unexplained, 0,
                          "disagreement: so much less is in use than these rows say");
    else
        mt_text_table_row(table, (uint64_t)hidden->unexplained, 0, "unexplained");
}

void mt_text_hidden(FILE *out, const struct mt_hidden *hidden, uint32_t top, enum mt_units units) {
    const struct mt_text_table table = {
        .out = out, .units = units, .total = hidden->in_use > 0 ? (uint64_t)hidden->in_use : 0};
    mt_text_table_header(&table, "call site: what took it");
    write_traced(&table, hidden, top);
    write_parts(&table, &hidden->hidden, top, "calls");
    mt_text_table_row(&table, hidden->hidden.bytes, hidden->hidden.calls, "hidden: what no allocation explains");
    write_rest(&table, hidden);
    mt_text_table_row(&table, table.total, 0, "in use");
}
