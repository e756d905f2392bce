/*
 * Shared memory → text; see text_shared.h.
 */
#include "viewer/render/text_shared.h"

#include <stdlib.h>

#include "viewer/analysis/by.h"
#include "viewer/analysis/parts.h"
#include "viewer/render/text_table.h"

struct search {
    const struct mt_report *report;
    uint32_t device;
    struct mt_parts imported, exported;
};

static int sort_out(void *user, const struct mt_live *live) {
    struct search *search = user;
    bool imported = live->memory == MT_MEMORY_IMPORTED;
    if (live->device != search->device || (!imported && !live->exported)) return 0;
    char *label = search->report->options->by->label(search->report, live);
    mt_parts_add(imported ? &search->imported : &search->exported, mt_intern(search->report->texts, label),
                 live->bytes);
    free(label);
    return 0;
}

static void write_parts(FILE *out, const struct mt_report *report, struct mt_parts *parts, const char *what) {
    const struct mt_text_table table = {.out = out, .units = report->options->units};
    if (!parts->count) return;
    mt_parts_sort(parts);
    fprintf(out, "  %s: %s\n", what, mt_amount(parts->bytes, table.units).text);
    for (size_t i = 0; i < parts->count; i++)
        mt_text_table_row(&table, parts->items[i].bytes, parts->items[i].count, parts->items[i].label);
}

void mt_text_shared(FILE *out, const struct mt_report *report, const struct mt_account *account) {
    struct search search = {.report = report, .device = account->device};
    if (account->host) return;
    mt_model_each_live(report->end, sort_out, &search);
    write_parts(out, report, &search.imported, "Imported from other processes, not owned, in no total here");
    write_parts(out, report, &search.exported, "Of these exported, so that handles may keep them in other processes");
    mt_parts_clear(&search.imported);
    mt_parts_clear(&search.exported);
}
