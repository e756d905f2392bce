/*
 * Composition → text; see text_composition.h.
 */
#include "viewer/render/text_composition.h"

#include "viewer/render/text_table.h"

static void write_rest(const struct mt_text_table *text, const struct mt_group_table *table, const struct mt_by *by,
                       size_t shown) {
    uint64_t bytes = 0, count = 0;
    for (size_t i = shown; i < table->group_count; i++) {
        bytes += table->groups[i].bytes;
        count += table->groups[i].count;
    }
    char label[96];
    snprintf(label, sizeof(label), "… %zu more %s", table->group_count - shown, by->plural);
    mt_text_table_row(text, bytes, count, label);
}

static void write_table(FILE *out, const struct mt_group_table *table, const struct mt_by *by, uint32_t top,
                        enum mt_units units) {
    const struct mt_text_table text = {.out = out, .units = units, .total = table->bytes};
    size_t shown = table->group_count;
    // A line that stands for one group is no shorter than the group.
    if (top && shown > (size_t)top + 1) shown = top;
    mt_text_table_header(&text, by->header);
    for (size_t i = 0; i < shown; i++)
        mt_text_table_row(&text, table->groups[i].bytes, table->groups[i].count, table->groups[i].label);
    if (shown < table->group_count) write_rest(&text, table, by, shown);
    mt_text_table_row(&text, table->bytes, table->count, "total");
}

void mt_text_composition(FILE *out, const struct mt_composition *composition, uint32_t top, enum mt_units units) {
    if (composition->total.group_count)
        write_table(out, &composition->total, composition->by, top, units);
    else
        fprintf(out, "  nothing\n");
    if (composition->segment_count)
        fprintf(out, "  Reserved by allocators for them: %s in %s.\n",
                mt_amount(composition->segment_bytes, units).text,
                mt_counted(composition->segment_count, "segment").text);
    if (composition->beside.group_count) {
        fprintf(out, "  Beside the tensors, taken from the driver by libraries or the program itself:\n");
        write_table(out, &composition->beside, composition->by, top, units);
    }
    if (composition->in_use)
        fprintf(out, "  Device memory in use at that moment: %s.\n", mt_amount(composition->in_use, units).text);
}
