/*
 * Kinds → text; see text_kinds.h.
 */
#include "viewer/render/text_kinds.h"

#include <string.h>

#include "viewer/render/text_table.h"

static void write_groups(const struct mt_text_table *text, const struct mt_kind_group *groups, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char label[128];
        snprintf(label, sizeof(label), "%s: %s", mt_kind_name(groups[i].verdict->kind), groups[i].verdict->how);
        mt_text_table_row(text, groups[i].bytes, groups[i].count, label);
    }
}

void mt_text_kinds(FILE *out, const struct mt_kind_table *table, enum mt_units units) {
    if (!table->total_count) {
        fprintf(out, "  nothing\n");
        return;
    }
    struct mt_text_table text = {.out = out, .units = units, .total = table->peak_bytes};
    mt_text_table_header(&text, "kind, and how it is known");
    write_groups(&text, table->total, table->total_count);
    mt_text_table_row(&text, table->peak_bytes, table->total_number, "total");
    text.total = 0;
    if (table->cached)
        mt_text_table_row(&text, table->cached, 0, "cached but free: held by the allocator, and in no tensor");
    if (!table->beside_count) return;
    fprintf(out, "  Beside the tensors:\n");
    for (size_t i = 0; i < table->beside_count; i++) text.total += table->beside[i].bytes;
    write_groups(&text, table->beside, table->beside_count);
}

struct columns {
    bool kinds[MT_KINDS]; // that occur at all
    bool cached;
};

static struct columns columns_of(const struct mt_kind_table *table) {
    struct columns columns = {0};
    for (size_t i = 0; i < table->row_count; i++) {
        for (size_t kind = 0; kind < MT_KINDS; kind++)
            if (table->rows[i].most[kind]) columns.kinds[kind] = true;
        if (table->rows[i].cached) columns.cached = true;
    }
    return columns;
}

static void write_cell(FILE *out, const char *heading, uint64_t bytes, enum mt_units units) {
    int width = (int)strlen(heading) > 10 ? (int)strlen(heading) : 10;
    fprintf(out, "  %*s", width, bytes ? mt_size(bytes, units).text : "-");
}

static void write_row(FILE *out, const struct mt_step_row *row, const struct columns *columns, enum mt_units units) {
    char steps[32];
    if (row->first == 0)
        snprintf(steps, sizeof(steps), "before");
    else if (row->first == row->last)
        snprintf(steps, sizeof(steps), "%u", row->first);
    else
        snprintf(steps, sizeof(steps), "%u-%u", row->first, row->last);
    fprintf(out, "  %-11s", steps);
    write_cell(out, "total", row->total, units);
    for (enum mt_kind kind = 0; kind < MT_KINDS; kind++)
        if (columns->kinds[kind]) write_cell(out, mt_kind_name(kind), row->most[kind], units);
    if (columns->cached) write_cell(out, "cached", row->cached, units);
    fprintf(out, "\n");
}

static const char *evidence_text(enum mt_step_evidence evidence) {
    switch (evidence) {
    case MT_STEPS_BY_RANGES:
        return "as NVTX ranges tell them";
    case MT_STEPS_BY_OPTIMIZER:
        return "each ends with the optimizer";
    case MT_STEPS_BY_BACKWARD:
        return "each ends with a backward, since no optimizer was seen after it";
    case MT_STEPS_BY_FORWARD:
        return "each begins with a forward, since neither backward nor optimizer were seen";
    case MT_STEPS_NONE:
        break;
    }
    return "";
}

void mt_text_steps(FILE *out, const struct mt_kind_table *table, enum mt_step_evidence evidence, uint32_t top,
                   enum mt_units units) {
    if (evidence == MT_STEPS_NONE) {
        fprintf(out, "  No steps: neither NVTX ranges nor PyTorch tell of a forward, a backward or an optimizer.\n");
        return;
    }
    struct columns columns = columns_of(table);
    fprintf(out, "  Most of each kind in each step (%s):\n  %-11s  %10s", evidence_text(evidence), "step", "total");
    for (enum mt_kind kind = 0; kind < MT_KINDS; kind++)
        if (columns.kinds[kind]) fprintf(out, "  %10s", mt_kind_name(kind));
    fprintf(out, columns.cached ? "  %10s\n" : "%s\n", columns.cached ? "cached" : "");
    // The first ones and the last: what grows shows between them.
    size_t shown = table->row_count;
    if (top && shown > (size_t)top + 1) shown = top;
    for (size_t i = 0; i + 1 < shown; i++) write_row(out, &table->rows[i], &columns, units);
    uint64_t left_out = table->row_count - shown + table->rows_left_out;
    if (left_out) fprintf(out, "  … %llu more\n", (unsigned long long)left_out);
    if (shown) write_row(out, &table->rows[table->row_count - 1], &columns, units);
}
