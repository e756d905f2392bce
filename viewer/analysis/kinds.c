/*
 * Judging allocations; see kinds.h. The first pass follows each allocation from its birth to its death and writes down
 * how it lived: one byte by the event that made it. What needs the whole trace – are there gradients of this size, is
 * it made again in each step – is decided when asked, by what was counted of its call site and of its size.
 */
#include "viewer/analysis/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "viewer/analysis/kind_lifetimes.h"
#include "viewer/analysis/kind_sites.h"
#include "viewer/base/memory.h"

enum verdict {
    PARAMETER_BY_MODEL,
    PARAMETER_BY_SIZE,
    GRADIENT_BY_SIZE,
    GRADIENT_BY_NODE,
    STATE_BY_LIFE,
    ACTIVATION_KEPT,
    ACTIVATION_SHORT,
    ACTIVATION_RESULT,
    INPUT_LOADED,
    INPUT_AGAIN,
    INPUT_STEP,
    INPUT_NO_GRADIENT,
    INPUT_NOT_MAKER,
    INPUT_NOT_MODEL,
    TEMPORARY_MODEL,
    TEMPORARY_FORWARD,
    TEMPORARY_BACKWARD,
    TEMPORARY_OPTIMIZER,
    TEMPORARY_LINE,
    WORKSPACE_LIBRARY,
    WORKSPACE_NAME,
    WORKSPACE_EXCHANGE,
    UNKNOWN_COPY,
    UNKNOWN_ONCE,
    UNKNOWN_AMBIGUOUS,
    UNKNOWN_BACKWARD,
    UNKNOWN_KEPT,
    UNKNOWN_ELSEWHERE,
};

static const struct mt_verdict verdicts[] = {
    [PARAMETER_BY_MODEL] = {MT_KIND_PARAMETERS, "made by torch.nn with the model (its buffers too)"},
    [PARAMETER_BY_SIZE] = {MT_KIND_PARAMETERS, "made before the steps; backward keeps as much of that size"},
    [GRADIENT_BY_SIZE] = {MT_KIND_GRADIENTS, "made in backward, kept after it, of a parameter's size"},
    [GRADIENT_BY_NODE] = {MT_KIND_GRADIENTS, "added up by AccumulateGrad"},
    [STATE_BY_LIFE] = {MT_KIND_OPTIMIZER, "made by the optimizer, kept after it"},
    [ACTIVATION_KEPT] = {MT_KIND_ACTIVATIONS, "made in forward, kept after it"},
    [ACTIVATION_SHORT] = {MT_KIND_ACTIVATIONS, "made in forward, handed on to another line of it"},
    [ACTIVATION_RESULT] = {MT_KIND_ACTIVATIONS, "made between forward and backward"},
    [INPUT_LOADED] = {MT_KIND_INPUTS, "made by a data loader"},
    [INPUT_AGAIN] = {MT_KIND_INPUTS, "made anew for each step before its forward"},
    [INPUT_STEP] = {MT_KIND_INPUTS, "made before a forward, gone after it"},
    [INPUT_NO_GRADIENT] = {MT_KIND_INPUTS, "made before the steps; backward keeps nothing of that size"},
    [INPUT_NOT_MAKER] = {MT_KIND_INPUTS, "made before the steps, elsewhere than the parameters of that size"},
    [INPUT_NOT_MODEL] = {MT_KIND_INPUTS, "made by the program before the first forward, but not with the model"},
    [TEMPORARY_MODEL] = {MT_KIND_TEMPORARY, "gone before the model was used"},
    [TEMPORARY_FORWARD] = {MT_KIND_TEMPORARY, "made and gone on one line of forward"},
    [TEMPORARY_BACKWARD] = {MT_KIND_TEMPORARY, "made and gone within backward"},
    [TEMPORARY_OPTIMIZER] = {MT_KIND_TEMPORARY, "made and gone within the optimizer"},
    [TEMPORARY_LINE] = {MT_KIND_TEMPORARY, "made and gone on one line"},
    [WORKSPACE_LIBRARY] = {MT_KIND_WORKSPACE, "taken by a CUDA library for itself"},
    [WORKSPACE_NAME] = {MT_KIND_WORKSPACE, "made by a function called a workspace's"},
    [WORKSPACE_EXCHANGE] = {MT_KIND_WORKSPACE, "made by DistributedDataParallel for its exchange"},
    [UNKNOWN_COPY] = {MT_KIND_UNKNOWN, "made by the program, of a parameter's size: a copy, or an input"},
    [UNKNOWN_ONCE] = {MT_KIND_UNKNOWN, "made in one forward only, and kept for steps"},
    [UNKNOWN_AMBIGUOUS] = {MT_KIND_UNKNOWN, "made before the steps; of the size of fewer gradients"},
    [UNKNOWN_BACKWARD] = {MT_KIND_UNKNOWN, "made in backward, kept after it, of no parameter's size"},
    [UNKNOWN_KEPT] = {MT_KIND_UNKNOWN, "made outside forward, backward and optimizer, and kept"},
    [UNKNOWN_ELSEWHERE] = {MT_KIND_UNKNOWN, "made outside forward, backward and optimizer"},
};

struct birth {
    uint64_t index; // of the event: key
    struct mt_phase_point point;
    const struct mt_place *spot;
    struct mt_kind_site *site;
    UT_hash_handle hh;
};

struct mt_kinds {
    struct mt_report *report;
    struct mt_phases *phases;
    uint8_t *lives; // by the index of the event that allocated
    size_t life_capacity;
    struct birth *births; // of what is live
    struct mt_kind_sites *sites;
    struct mt_phase_point now;
};

// Where an event is in the source, as close as can be told: libraries' Python lines too.
static const struct mt_place *spot_of(const struct mt_report *report, uint32_t stack) {
    for (uint32_t id = stack; id;) {
        const struct mt_node *node = mt_definitions_node(report->definitions, id);
        if (!node) break;
        if (node->python) return mt_symbols_bare(report->symbols, node);
        id = node->parent;
    }
    return mt_stacks_site(report->stacks, stack)->user;
}

const char *mt_kind_name(enum mt_kind kind) {
    static const char *const names[MT_KINDS] = {
        [MT_KIND_PARAMETERS] = "parameters",
        [MT_KIND_GRADIENTS] = "gradients",
        [MT_KIND_OPTIMIZER] = "optimizer state",
        [MT_KIND_ACTIVATIONS] = "activations",
        [MT_KIND_INPUTS] = "inputs",
        [MT_KIND_TEMPORARY] = "temporary",
        [MT_KIND_WORKSPACE] = "workspace",
        [MT_KIND_UNKNOWN] = "unknown",
    };
    return names[kind];
}

const struct mt_verdict *mt_verdicts(size_t *count) {
    *count = sizeof(verdicts) / sizeof(*verdicts);
    return verdicts;
}

static void write_life(struct mt_kinds *kinds, uint64_t index, enum mt_life life) {
    mt_grow(&kinds->lives, &kinds->life_capacity, (size_t)index + 1);
    kinds->lives[index] = (uint8_t)life;
}

// Whether later births of a site are in the position of the first: where the order of phases is beyond doubt, and in
// the parts of a step that adds up the gradients of several, which begin after a backward.
static bool repeats_first(const struct mt_kinds *kinds, const struct birth *birth) {
    if (mt_phases_evidence(kinds->phases) == MT_STEPS_BY_FORWARD) return true;
    return birth->point.phase == MT_PHASE_OTHER && birth->point.position == MT_AFTER_BACKWARD &&
           birth->site->position == MT_BEFORE_FORWARD;
}

static void on_allocated(struct mt_kinds *kinds, const struct mt_live *live, const struct mt_phase_point *point) {
    struct birth *birth = mt_allocate(sizeof(*birth));
    birth->index = live->index;
    birth->point = *point;
    birth->spot = spot_of(kinds->report, live->stack);
    birth->site = mt_kind_sites_at(kinds->sites, live, point, birth->spot);
    if (repeats_first(kinds, birth)) birth->point.position = birth->site->position;
    mt_kind_sites_born(kinds->sites, birth->site, &birth->point);
    HASH_ADD(hh, kinds->births, index, sizeof(birth->index), birth);
}

static void on_freed(struct mt_kinds *kinds, const struct mt_change *change, const struct mt_phase_point *point) {
    struct birth *birth;
    HASH_FIND(hh, kinds->births, &change->live->index, sizeof(change->live->index), birth);
    if (!birth) return;
    const struct mt_place *spot = spot_of(kinds->report, change->event->stack);
    write_life(kinds, birth->index, mt_life_of(&birth->point, point, false, spot == birth->spot));
    mt_kind_sites_died(kinds->sites, birth->site, &birth->point);
    HASH_DEL(kinds->births, birth);
    free(birth);
}

static bool is_judged(const struct mt_live *live) {
    return live && !live->segment && (live->ledger == MT_LEDGER_PHYSICAL || live->ledger == MT_LEDGER_ALLOCATOR);
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct mt_kinds *kinds = user;
    struct mt_phase_point point = mt_phases_follow(kinds->phases, model, change);
    if (point.backwards != kinds->now.backwards) mt_kind_sites_backward_ended(kinds->sites);
    kinds->now = point;
    if (!is_judged(change->live)) return 0;
    if (change->kind == MT_CHANGE_ALLOCATED) on_allocated(kinds, change->live, &point);
    if (change->kind == MT_CHANGE_FREED) on_freed(kinds, change, &point);
    return 0;
}

struct mt_kinds *mt_kinds_new(struct mt_report *report, struct mt_phases *phases) {
    struct mt_kinds *kinds = mt_allocate(sizeof(*kinds));
    kinds->report = report;
    kinds->phases = phases;
    kinds->sites = mt_kind_sites_new(report, mt_phases_found(phases, MT_PHASE_SETUP));
    mt_phases_restart(phases);
    mt_report_replay(report, observe, kinds);
    mt_kind_sites_finish(kinds->sites);
    while (kinds->births) {
        struct birth *birth = kinds->births;
        write_life(kinds, birth->index, mt_life_of(&birth->point, &kinds->now, true, false));
        HASH_DEL(kinds->births, birth);
        free(birth);
    }
    return kinds;
}

void mt_kinds_free(struct mt_kinds *kinds) {
    if (!kinds) return;
    mt_kind_sites_free(kinds->sites);
    free(kinds->lives);
    free(kinds);
}

static enum verdict judge_backward(const struct mt_kinds *kinds, const struct mt_live *live) {
    const char *node = mt_stacks_site(kinds->report->stacks, live->stack)->node;
    if (node && strcmp(node, "AccumulateGrad") == 0) return GRADIENT_BY_NODE;
    bool tensor = live->memory == MT_MEMORY_TENSOR;
    return mt_kind_sites_have_parameter(kinds->sites, live->bytes, tensor) ? GRADIENT_BY_SIZE : UNKNOWN_BACKWARD;
}

// What was made before a forward, and outlived a backward.
static enum verdict judge_before(const struct mt_kinds *kinds, const struct mt_kind_site *site) {
    bool may_copy = mt_kind_sites_may_copy(kinds->sites, site);
    if (site->steps > 1) return may_copy ? UNKNOWN_COPY : INPUT_AGAIN;
    if (mt_phases_found(kinds->phases, MT_PHASE_SETUP)) {
        if (may_copy) return UNKNOWN_COPY;
        return site->first_step == 0 && site->own ? INPUT_NOT_MODEL : UNKNOWN_KEPT;
    }
    if (!mt_kind_sites_have_gradients(kinds->sites)) return UNKNOWN_KEPT;
    switch (mt_kind_sites_match(kinds->sites, site)) {
    case MT_MATCH_ALL:
    case MT_MATCH_MAKER:
        return PARAMETER_BY_SIZE;
    case MT_MATCH_NOT_MAKER:
        return INPUT_NOT_MAKER;
    case MT_MATCH_AMBIGUOUS:
        return UNKNOWN_AMBIGUOUS;
    case MT_MATCH_NONE:
        break;
    }
    return INPUT_NO_GRADIENT;
}

// What was made before a forward, and gone after it.
static enum verdict judge_step(const struct mt_kinds *kinds, const struct mt_kind_site *site) {
    if (mt_kind_sites_may_copy(kinds->sites, site)) return UNKNOWN_COPY;
    if (site->steps > 1) return INPUT_AGAIN;
    // Without these, it may as well be the parameters of a program that goes forward once.
    bool known = mt_phases_found(kinds->phases, MT_PHASE_SETUP) || mt_phases_found(kinds->phases, MT_PHASE_BACKWARD);
    return known ? INPUT_STEP : UNKNOWN_KEPT;
}

// Where the life alone decides.
static const enum verdict by_life[] = {
    [MT_LIFE_UNSEEN] = UNKNOWN_ELSEWHERE,
    [MT_LIFE_MODEL] = PARAMETER_BY_MODEL,
    [MT_LIFE_MODEL_SHORT] = TEMPORARY_MODEL,
    [MT_LIFE_LOADED] = INPUT_LOADED,
    [MT_LIFE_FORWARD_LINE] = TEMPORARY_FORWARD,
    [MT_LIFE_FORWARD_SHORT] = ACTIVATION_SHORT,
    [MT_LIFE_FORWARD_KEPT] = ACTIVATION_KEPT,
    [MT_LIFE_RESULT_LINE] = TEMPORARY_LINE,
    [MT_LIFE_RESULT] = ACTIVATION_RESULT,
    [MT_LIFE_BACKWARD_SHORT] = TEMPORARY_BACKWARD,
    [MT_LIFE_OPTIMIZER_SHORT] = TEMPORARY_OPTIMIZER,
    [MT_LIFE_OPTIMIZER_KEPT] = STATE_BY_LIFE,
    [MT_LIFE_LINE] = TEMPORARY_LINE,
    [MT_LIFE_ELSEWHERE] = UNKNOWN_ELSEWHERE,
};

static enum verdict judge(const struct mt_kinds *kinds, const struct mt_live *live) {
    enum mt_life life = live->index < kinds->life_capacity ? (enum mt_life)kinds->lives[live->index] : MT_LIFE_UNSEEN;
    const struct mt_kind_site *site = mt_kind_sites_find(kinds->sites, live);
    if (!site) return UNKNOWN_ELSEWHERE;
    if (site->role == MT_ROLE_LIBRARY) return WORKSPACE_LIBRARY;
    if (site->role == MT_ROLE_WORKSPACE) return WORKSPACE_NAME;
    if (site->role == MT_ROLE_EXCHANGE) return WORKSPACE_EXCHANGE;
    // A program that ends before its first forward, out of memory, gives all back.
    if (life == MT_LIFE_MODEL_UNUSED)
        return mt_phases_found(kinds->phases, MT_PHASE_FORWARD) ? TEMPORARY_MODEL : PARAMETER_BY_MODEL;
    if (life == MT_LIFE_BEFORE_LONG) return judge_before(kinds, site);
    if (life == MT_LIFE_BEFORE_STEP) return judge_step(kinds, site);
    if (life == MT_LIFE_BACKWARD_KEPT) return judge_backward(kinds, live);
    if (life == MT_LIFE_FORWARD_LONG) return site->steps > 1 ? ACTIVATION_KEPT : UNKNOWN_ONCE;
    return by_life[life];
}

const struct mt_verdict *mt_kinds_verdict(const struct mt_kinds *kinds, const struct mt_live *live) {
    return &verdicts[judge(kinds, live)];
}
