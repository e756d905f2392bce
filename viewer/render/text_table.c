/*
 * Rows of a table; see text_table.h.
 */
#include "viewer/render/text_table.h"

#include <inttypes.h>

void mt_text_table_header(const struct mt_text_table *table, const char *label) {
    fprintf(table->out, "  %17s  %10s  %7s  %7s  %s\n", "bytes", "", table->total ? "share" : "", "count", label);
}

void mt_text_table_row(const struct mt_text_table *table, uint64_t bytes, uint64_t count, const char *label) {
    char share[24] = "", number[24] = "";
    if (table->total) snprintf(share, sizeof(share), "%.1f %%", 100.0 * (double)bytes / (double)table->total);
    if (count) snprintf(number, sizeof(number), "%" PRIu64, count);
    fprintf(table->out, "  %17s  %10s  %7s  %7s  %s\n", mt_exact(bytes).text, mt_size(bytes, table->units).text, share,
            number, label);
}
