/*
 * Reconciliation → text; see text_hidden.h.
 */
#include "viewer/text_hidden.h"

#include <inttypes.h>

#include "viewer/footprint.h"

struct table {
    FILE *out;
    enum mt_units units;
    uint32_t top;
    int64_t total; // what shares are of
};

static uint64_t magnitude(int64_t bytes) {
    return bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
}

// count 0: there is nothing to count. A part of the row above is indented.
static void write_row(const struct table *table, int64_t bytes, uint64_t count, const char *indent, const char *label) {
    double share = table->total > 0 ? 100.0 * (double)bytes / (double)table->total : 0;
    const char *sign = bytes < 0 ? "-" : "";
    char exact[48], size[48], number[24] = "";
    snprintf(exact, sizeof(exact), "%s%s", sign, mt_exact(magnitude(bytes)).text);
    snprintf(size, sizeof(size), "%s%s", sign, mt_size(magnitude(bytes), table->units).text);
    if (count) snprintf(number, sizeof(number), "%" PRIu64, count);
    fprintf(table->out, "  %17s  %10s  %5.1f %%  %7s  %s%s\n", exact, size, share, number, indent, label);
}

static void write_parts(const struct table *table, const struct mt_parts *parts, const char *rest) {
    size_t shown = parts->count;
    // A line that stands for one part is no shorter than the part.
    if (table->top && shown > (size_t)table->top + 1) shown = table->top;
    uint64_t bytes = parts->bytes, calls = parts->calls;
    for (size_t i = 0; i < shown; i++) {
        write_row(table, (int64_t)parts->items[i].bytes, parts->items[i].count, "", parts->items[i].label);
        bytes -= parts->items[i].bytes;
        calls -= parts->items[i].count;
    }
    if (shown == parts->count) return;
    char label[96];
    snprintf(label, sizeof(label), "… %zu more %s", parts->count - shown, rest);
    write_row(table, (int64_t)bytes, calls, "", label);
}

static void write_held(const struct table *table, const struct mt_held *held, const char *label, const char *unused) {
    if (!held->bytes && !held->handed_out) return;
    write_row(table, (int64_t)held->bytes, held->count, "", label);
    write_row(table, (int64_t)held->handed_out, held->blocks, "  ", "handed out");
    write_row(table, (int64_t)(held->bytes - held->handed_out), 0, "  ", unused);
}

static void write_traced(const struct table *table, const struct mt_hidden *hidden) {
    char rounding[96];
    snprintf(rounding, sizeof(rounding), "rounding to the device's pages of %s",
             mt_size(MT_DEVICE_PAGE, table->units).text);
    write_held(table, &hidden->segments, "segments of a framework's allocator", "cached, or lost to its rounding");
    write_held(table, &hidden->pools, "memory pools", "reserved, not handed out: see --pools");
    write_parts(table, &hidden->allocations, "call sites");
    if (hidden->rounding) write_row(table, hidden->rounding, 0, "", rounding);
    write_row(table, (int64_t)hidden->traced, hidden->segments.count + hidden->allocations.calls, "",
              "traced: allocations");
}

void mt_text_hidden(FILE *out, const struct mt_hidden *hidden, uint32_t top, enum mt_units units) {
    const struct table table = {.out = out, .units = units, .top = top, .total = hidden->in_use};
    fprintf(out, "  %17s  %10s  %7s  %7s  %s\n", "bytes", "", "share", "count", "call site: what took it");
    write_traced(&table, hidden);
    write_parts(&table, &hidden->hidden, "calls");
    write_row(&table, (int64_t)hidden->hidden.bytes, hidden->hidden.calls, "", "hidden: what no allocation explains");
    write_row(&table, hidden->unexplained, 0, "", "unexplained");
    write_row(&table, hidden->in_use, 0, "", "in use");
}
