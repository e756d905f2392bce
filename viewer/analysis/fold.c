/*
 * Tandem repeats in a stream of folds; see fold.h.
 *
 * A folder is in one of two states. *Looking*: `window` holds the latest folds; each new one is checked for completing
 * a repetition of the last k. *Repeating*: `pattern` holds a sequence seen `count` times, `partial` the beginning of
 * its next time.
 */
#include "viewer/analysis/fold.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"

struct sequence {
    struct mt_fold *items[2 * MT_FOLD_PERIOD];
    size_t count;
};

struct mt_folder {
    mt_fold_sink *sink;
    void *user;
    struct sequence window, pattern, partial;
    uint64_t count; // of the pattern; 0: looking
};

struct mt_fold *mt_fold_block(struct mt_line_block *block, struct mt_line_totals totals) {
    struct mt_fold *fold = mt_allocate(sizeof(*fold));
    *fold = (struct mt_fold){
        .count = 1, .block = block, .first = totals, .last = totals, .hash = mt_line_block_hash(block)};
    return fold;
}

void mt_fold_free(struct mt_fold *fold) {
    for (size_t i = 0; i < fold->child_count; i++) mt_fold_free(fold->children[i]);
    free(fold->children);
    free(fold->block);
    free(fold);
}

static bool equal(const struct mt_fold *a, const struct mt_fold *b) {
    if (a->hash != b->hash || a->count != b->count || a->child_count != b->child_count) return false;
    if (a->block) return b->block && mt_line_block_equal(a->block, b->block);
    for (size_t i = 0; i < a->child_count; i++)
        if (!equal(a->children[i], b->children[i])) return false;
    return !b->block;
}

// `again` is what happened to `fold` the next time: take over how it ended.
static void absorb(struct mt_fold *fold, const struct mt_fold *again) {
    fold->last = again->last;
    for (size_t i = 0; i < fold->child_count; i++) absorb(fold->children[i], again->children[i]);
}

static void append(struct sequence *sequence, struct mt_fold *fold) {
    sequence->items[sequence->count++] = fold;
}

static void send_first(struct mt_folder *folder, size_t count) {
    struct sequence *window = &folder->window;
    for (size_t i = 0; i < count; i++) folder->sink(folder->user, window->items[i]);
    window->count -= count;
    memmove(window->items, window->items + count, window->count * sizeof(*window->items));
}

static struct mt_fold *group(const struct sequence *pattern, uint64_t count) {
    struct mt_fold *fold = mt_allocate(sizeof(*fold));
    fold->count = count;
    fold->child_count = pattern->count;
    fold->children = mt_allocate(pattern->count * sizeof(*fold->children));
    memcpy(fold->children, pattern->items, pattern->count * sizeof(*fold->children));
    fold->first = pattern->items[pattern->count - 1]->first;
    fold->last = pattern->items[pattern->count - 1]->last;
    fold->hash = count;
    for (size_t i = 0; i < pattern->count; i++) fold->hash = fold->hash * 31 + pattern->items[i]->hash;
    return fold;
}

static void complete_once_more(struct mt_folder *folder) {
    for (size_t i = 0; i < folder->pattern.count; i++) {
        absorb(folder->pattern.items[i], folder->partial.items[i]);
        mt_fold_free(folder->partial.items[i]);
    }
    folder->partial.count = 0;
    folder->count++;
}

static void end_repetition(struct mt_folder *folder) {
    struct sequence begun = folder->partial;
    folder->sink(folder->user, group(&folder->pattern, folder->count));
    folder->pattern.count = 0;
    folder->partial.count = 0;
    folder->count = 0;
    // Less than a period was begun: it cannot hold a repetition of this pattern, but one of its own.
    for (size_t i = 0; i < begun.count; i++) mt_folder_push(folder, begun.items[i]);
}

static bool repeats(const struct sequence *window, size_t period) {
    struct mt_fold *const *end = window->items + window->count;
    for (size_t i = 1; i <= period; i++)
        if (!equal(*(end - i), *(end - period - i))) return false;
    return true;
}

static void look_for_repetition(struct mt_folder *folder) {
    struct sequence *window = &folder->window;
    for (size_t period = 1; 2 * period <= window->count; period++) {
        if (!repeats(window, period)) continue;
        send_first(folder, window->count - 2 * period);
        folder->pattern.count = folder->partial.count = 0;
        for (size_t i = 0; i < period; i++) append(&folder->pattern, window->items[i]);
        for (size_t i = 0; i < period; i++) append(&folder->partial, window->items[period + i]);
        window->count = 0;
        folder->count = 1;
        complete_once_more(folder);
        return;
    }
    if (window->count == 2 * MT_FOLD_PERIOD) send_first(folder, 1);
}

struct mt_folder *mt_folder_new(mt_fold_sink *sink, void *user) {
    struct mt_folder *folder = mt_allocate(sizeof(*folder));
    folder->sink = sink;
    folder->user = user;
    return folder;
}

void mt_folder_push(struct mt_folder *folder, struct mt_fold *fold) {
    if (folder->count) {
        if (equal(fold, folder->pattern.items[folder->partial.count])) {
            append(&folder->partial, fold);
            if (folder->partial.count == folder->pattern.count) complete_once_more(folder);
            return;
        }
        end_repetition(folder);
    }
    // Only a new repetition found among what was begun can have changed the state again.
    if (folder->count) {
        mt_folder_push(folder, fold);
        return;
    }
    append(&folder->window, fold);
    look_for_repetition(folder);
}

void mt_folder_finish(struct mt_folder *folder) {
    while (folder->count) end_repetition(folder);
    send_first(folder, folder->window.count);
    free(folder);
}
