/*
 * Compositions at failures; see exhaustion.h.
 */
#include "viewer/analysis/exhaustion.h"

#include <stdlib.h>

#include "viewer/base/memory.h"

struct search {
    const struct mt_report *report;
    const struct mt_failures *failures;
    struct mt_exhaustion *found;
    size_t next; // failure, in order of time
    size_t left;
};

static bool ran_out(const struct mt_report *report, const struct mt_failure *failure) {
    if (failure->kind != MT_FAILURE_REQUEST) return false;
    bool reported = report->survey.effects[MT_EFFECT_OUT_OF_MEMORY];
    return failure->result == 0 || (!reported && failure->result == MT_RESULT_OUT_OF_MEMORY);
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct search *search = user;
    const struct mt_failure *failure = &search->failures->items[search->next];
    if (change->index < failure->index) return 0;
    struct mt_exhaustion *exhaustion = &search->found[search->next++];
    if (ran_out(search->report, failure)) {
        struct mt_account account = mt_account_of_device(search->report, failure->device);
        mt_composition_make(search->report, model, &account, &exhaustion->live);
        if (account.tensors) mt_cache_measure(model, failure->device, &exhaustion->cache);
        exhaustion->known = true;
        search->left--;
    }
    return !search->left || search->next == search->failures->count;
}

struct mt_exhaustion *mt_exhaustions_find(const struct mt_report *report, const struct mt_failures *failures,
                                          size_t most) {
    struct search search = {.report = report, .failures = failures, .left = most};
    search.found = mt_allocate(failures->count * sizeof(*search.found));
    bool any = false;
    for (size_t i = 0; i < failures->count && !any; i++) any = ran_out(report, &failures->items[i]);
    if (any && most) mt_report_replay(report, observe, &search);
    return search.found;
}

void mt_exhaustions_free(struct mt_exhaustion *exhaustions, size_t count) {
    for (size_t i = 0; i < count; i++) mt_composition_clear(&exhaustions[i].live);
    free(exhaustions);
}
