/*
 * Rows of a table; see text_table.h.
 */
#include "viewer/text_table.h"

#include <inttypes.h>

void mt_text_table_header(const struct mt_text_table *table, const char *label) {
    fprintf(table->out, "  %17s  %10s  %7s  %7s  %s\n", "bytes", "", table->total ? "share" : "", "count", label);
}

static void write_row(const struct mt_text_table *table, const char *sign, uint64_t bytes, uint64_t count,
                      const char *label) {
    char exact[48], size[48], share[24] = "", number[24] = "";
    snprintf(exact, sizeof(exact), "%s%s", sign, mt_exact(bytes).text);
    snprintf(size, sizeof(size), "%s%s", sign, mt_size(bytes, table->units).text);
    if (table->total) snprintf(share, sizeof(share), "%s%.1f %%", sign, 100.0 * (double)bytes / (double)table->total);
    if (count) snprintf(number, sizeof(number), "%" PRIu64, count);
    fprintf(table->out, "  %17s  %10s  %7s  %7s  %s\n", exact, size, share, number, label);
}

void mt_text_table_row(const struct mt_text_table *table, uint64_t bytes, uint64_t count, const char *label) {
    write_row(table, "", bytes, count, label);
}

void mt_text_table_signed_row(const struct mt_text_table *table, int64_t bytes, uint64_t count, const char *label) {
    if (bytes < 0)
        write_row(table, "-", 0 - (uint64_t)bytes, count, label);
    else
        write_row(table, "", (uint64_t)bytes, count, label);
}
