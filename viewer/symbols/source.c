/*
 * Events → lines; see source.h. Each node of the tree of user lines (stacks.h) is one line; an event belongs to the
 * node of its user line and to all above it.
 */
#include "viewer/symbols/source.h"

#include <stdlib.h>

#include "viewer/base/memory.h"

struct slot {
    size_t file, line; // + 1; 0: not known yet
};

struct tracker {
    struct mt_report *report;
    struct mt_source *out;
    struct slot *slots; // by path
    size_t slot_capacity;
    struct mt_source_line **touched; // by one event: a line that recurs in a stack counts once
    size_t touched_count, touched_capacity;
    uint64_t touches; // events so far
};

static size_t file_of(struct mt_source *source, const struct mt_place *place) {
    for (size_t i = 0; i < source->count; i++)
        if (source->files[i].path == place->file && source->files[i].folder == place->folder) return i;
    mt_grow(&source->files, &source->capacity, source->count + 1);
    source->files[source->count].path = place->file;
    source->files[source->count].folder = place->folder;
    return source->count++;
}

static size_t line_of(struct mt_source_file *file, uint32_t number) {
    for (size_t i = 0; i < file->count; i++)
        if (file->lines[i].number == number) return i;
    mt_grow(&file->lines, &file->capacity, file->count + 1);
    file->lines[file->count].number = number;
    return file->count++;
}

// The line of a node, or NULL if it is in no file.
static struct mt_source_line *line_at(struct tracker *tracker, uint32_t path, struct mt_source_file **file) {
    mt_grow(&tracker->slots, &tracker->slot_capacity, (size_t)path + 1);
    struct slot *slot = &tracker->slots[path];
    if (!slot->file) {
        const struct mt_place *place = mt_stacks_path(tracker->report->stacks, path).place;
        if (!place->file || !place->line) return NULL;
        slot->file = file_of(tracker->out, place) + 1;
        slot->line = line_of(&tracker->out->files[slot->file - 1], place->line) + 1;
    }
    *file = &tracker->out->files[slot->file - 1];
    return &(*file)->lines[slot->line - 1];
}

// Makes room in a first round, since lines move when their file gets another; collects in a second.
static void touch(struct tracker *tracker, uint32_t stack) {
    struct mt_source_file *file;
    uint32_t innermost = mt_stacks_site(tracker->report->stacks, stack)->path;
    for (uint32_t path = innermost; path; path = mt_stacks_path(tracker->report->stacks, path).parent)
        line_at(tracker, path, &file);
    tracker->touched_count = 0;
    tracker->touches++;
    for (uint32_t path = innermost; path; path = mt_stacks_path(tracker->report->stacks, path).parent) {
        struct mt_source_line *line = line_at(tracker, path, &file);
        if (!line) continue;
        if (line->touch == tracker->touches) continue;
        line->touch = tracker->touches;
        mt_grow(&tracker->touched, &tracker->touched_capacity, tracker->touched_count + 1);
        tracker->touched[tracker->touched_count++] = line;
    }
}

// Adds an allocation to the files of its stack, to each once.
static void add_to_files(struct tracker *tracker, const struct mt_live *live) {
    struct mt_source_file *file;
    uint32_t path = mt_stacks_site(tracker->report->stacks, live->stack)->path;
    for (; path; path = mt_stacks_path(tracker->report->stacks, path).parent) {
        if (!line_at(tracker, path, &file) || file->seen == live->index + 1) continue;
        file->seen = live->index + 1;
        file->allocated += live->bytes;
    }
}

static void on_allocated(struct tracker *tracker, const struct mt_live *live) {
    touch(tracker, live->stack);
    add_to_files(tracker, live);
    for (size_t i = 0; i < tracker->touched_count; i++) {
        struct mt_source_line *line = tracker->touched[i];
        line->allocated += live->bytes;
        line->live += live->bytes;
        if (line->live > line->most) line->most = line->live;
    }
}

static void on_freed(struct tracker *tracker, const struct mt_live *live, uint32_t stack) {
    touch(tracker, stack);
    for (size_t i = 0; i < tracker->touched_count; i++) tracker->touched[i]->freed += live->bytes;
    touch(tracker, live->stack);
    for (size_t i = 0; i < tracker->touched_count; i++) tracker->touched[i]->live -= live->bytes;
}

struct peak {
    struct tracker *tracker;
    struct mt_account account;
};

static bool is_used(const struct mt_account *account, const struct mt_live *live) {
    return mt_account_holds(account, live) && !live->segment;
}

static int note_peak(void *user, const struct mt_live *live) {
    struct peak *peak = user;
    if (!is_used(&peak->account, live)) return 0;
    touch(peak->tracker, live->stack);
    for (size_t i = 0; i < peak->tracker->touched_count; i++) peak->tracker->touched[i]->at_peak += live->bytes;
    return 0;
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct tracker *tracker = user;
    const struct mt_live *live = change->live;
    if (!live) return 0;
    struct mt_account account = mt_account_of_device(tracker->report, live->device);
    int only = tracker->report->options->device;
    if (!is_used(&account, live) || (only != MT_ALL_DEVICES && (uint32_t)only != live->device)) return 0;
    if (change->kind == MT_CHANGE_FREED) on_freed(tracker, live, change->event->stack);
    if (change->kind != MT_CHANGE_ALLOCATED) return 0;
    on_allocated(tracker, live);
    if (mt_account_tally(&account, mt_model_ledgers(tracker->report->end))->peak_index != change->index) return 0;
    struct peak peak = {tracker, account};
    mt_model_each_live(model, note_peak, &peak);
    return 0;
}

static int by_number(const void *left, const void *right) {
    const struct mt_source_line *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static int most_allocated_first(const void *left, const void *right) {
    const struct mt_source_file *a = left, *b = right;
    return (a->allocated < b->allocated) - (a->allocated > b->allocated);
}

void mt_source_make(struct mt_report *report, struct mt_source *out) {
    *out = (struct mt_source){0};
    struct tracker tracker = {.report = report, .out = out};
    mt_report_replay(report, observe, &tracker);
    for (size_t i = 0; i < out->count; i++)
        qsort(out->files[i].lines, out->files[i].count, sizeof(*out->files[i].lines), by_number);
    if (out->count) qsort(out->files, out->count, sizeof(*out->files), most_allocated_first);
    free(tracker.slots);
    free(tracker.touched);
}

void mt_source_clear(struct mt_source *source) {
    for (size_t i = 0; i < source->count; i++) free(source->files[i].lines);
    free(source->files);
    *source = (struct mt_source){0};
}
