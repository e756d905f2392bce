/*
 * Composition → text; see text_composition.h.
 */
#include "viewer/text_composition.h"

static void write_line(FILE *out, uint64_t bytes, uint64_t total, uint64_t count, const char *label,
                       enum mt_units units) {
    double share = total ? 100.0 * (double)bytes / (double)total : 0;
    fprintf(out, "  %17s  %10s  %5.1f %%  %7llu  %s\n", mt_exact(bytes).text, mt_size(bytes, units).text, share,
            (unsigned long long)count, label);
}

static void write_rest(FILE *out, const struct mt_group_table *table, const struct mt_by *by, size_t shown,
                       enum mt_units units) {
    uint64_t bytes = 0, count = 0;
    for (size_t i = shown; i < table->group_count; i++) {
        bytes += table->groups[i].bytes;
        count += table->groups[i].count;
    }
    char label[96];
    snprintf(label, sizeof(label), "… %zu more %s", table->group_count - shown, by->plural);
    write_line(out, bytes, table->bytes, count, label, units);
}

static void write_table(FILE *out, const struct mt_group_table *table, const struct mt_by *by, uint32_t top,
                        enum mt_units units) {
    size_t shown = table->group_count;
    // A line that stands for one group is no shorter than the group.
    if (top && shown > (size_t)top + 1) shown = top;
    fprintf(out, "  %17s  %10s  %7s  %7s  %s\n", "bytes", "", "share", "count", by->header);
    for (size_t i = 0; i < shown; i++)
        write_line(out, table->groups[i].bytes, table->bytes, table->groups[i].count, table->groups[i].label, units);
    if (shown < table->group_count) write_rest(out, table, by, shown, units);
    write_line(out, table->bytes, table->bytes, table->count, "total", units);
}

void mt_text_composition(FILE *out, const struct mt_composition *composition, uint32_t top, enum mt_units units) {
    if (composition->total.group_count)
        write_table(out, &composition->total, composition->by, top, units);
    else
        fprintf(out, "  nothing\n");
    if (composition->segment_count)
        fprintf(out, "  These lie in %llu segments that allocators hold from the device: %s bytes (%s).\n",
                (unsigned long long)composition->segment_count, mt_exact(composition->segment_bytes).text,
                mt_size(composition->segment_bytes, units).text);
    if (composition->beside.group_count) {
        fprintf(out, "  Beside the tensors, taken from the driver by libraries or the program itself:\n");
        write_table(out, &composition->beside, composition->by, top, units);
    }
    if (composition->in_use)
        fprintf(out, "  Device memory in use at that moment: %s bytes (%s).\n", mt_exact(composition->in_use).text,
                mt_size(composition->in_use, units).text);
}
