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

static void write_rest(FILE *out, const struct mt_composition *composition, size_t shown, enum mt_units units) {
    uint64_t bytes = 0, count = 0;
    for (size_t i = shown; i < composition->group_count; i++) {
        bytes += composition->groups[i].bytes;
        count += composition->groups[i].count;
    }
    char label[96];
    snprintf(label, sizeof(label), "… %zu more %s", composition->group_count - shown, composition->by->plural);
    write_line(out, bytes, composition->bytes, count, label, units);
}

void mt_text_composition(FILE *out, const struct mt_composition *composition, uint32_t top, enum mt_units units) {
    size_t shown = composition->group_count;
    // A line that stands for one group is no shorter than the group.
    if (top && shown > (size_t)top + 1) shown = top;
    if (composition->group_count == 0) {
        fprintf(out, "  nothing\n");
    } else {
        fprintf(out, "  %17s  %10s  %7s  %7s  %s\n", "bytes", "", "share", "count", composition->by->header);
        for (size_t i = 0; i < shown; i++)
            write_line(out, composition->groups[i].bytes, composition->bytes, composition->groups[i].count,
                       composition->groups[i].label, units);
        if (shown < composition->group_count) write_rest(out, composition, shown, units);
        write_line(out, composition->bytes, composition->bytes, composition->count, "total", units);
    }
    if (composition->segment_count)
        fprintf(out, "  These lie in %llu segments that allocators hold from the device: %s bytes (%s).\n",
                (unsigned long long)composition->segment_count, mt_exact(composition->segment_bytes).text,
                mt_size(composition->segment_bytes, units).text);
    if (composition->in_use)
        fprintf(out, "  Device memory in use at that moment: %s bytes (%s).\n", mt_exact(composition->in_use).text,
                mt_size(composition->in_use, units).text);
}
