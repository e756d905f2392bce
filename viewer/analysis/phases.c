/*
 * Phases and steps; see phases.h. What a call stack or a range's text says is worked out once for each.
 */
#include "viewer/analysis/phases.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"
#include "viewer/frameworks/phase_names.h"

#define RANGES 16 // open ranges looked at, innermost first

// What one number – a stack, or a string – says.
struct saying {
    uint32_t number;
    bool certain; // stacks: by a framework's own frames
    bool engine;  // stacks: of a thread of PyTorch's, and it is not known who called backward()
    bool step;    // strings: the name of a step
    bool within;  // stacks: the phase is a part of a backward: an optimizer that a hook of PyTorch's calls
    bool update;  // launches: of a kernel that updates parameters; stacks: gradients are thrown away
    enum mt_phase phase;
    UT_hash_handle hh;
};

struct thread_state {
    uint32_t thread;
    enum mt_phase phase;
    uint32_t instance;
    UT_hash_handle hh;
};

struct mt_phases {
    const struct mt_report *report;
    struct saying *stacks, *texts, *launches;
    bool found[MT_PHASE_OPTIMIZER + 1];
    bool step_ranges;
    // While the trace is followed:
    struct thread_state *threads;
    struct mt_phase_point now;
    uint32_t instances;
    uint32_t caller; // the last thread that was none of PyTorch's own
    bool step_ended; // the next forward begins another
};

static struct saying *find(struct saying *sayings, uint32_t number) {
    struct saying *found;
    HASH_FIND(hh, sayings, &number, sizeof(number), found);
    return found;
}

static struct saying *add(struct saying **sayings, uint32_t number) {
    struct saying *added = mt_allocate(sizeof(*added));
    added->number = number;
    HASH_ADD(hh, *sayings, number, sizeof(added->number), added);
    return added;
}

// Whether PyTorch's thread runs an optimizer: of its Python frames the first certain one decides.
static bool optimizes(const struct mt_definitions *definitions, uint32_t stack) {
    for (uint32_t id = stack; mt_definitions_is_cross_thread(definitions, id);) {
        const struct mt_node *node = mt_definitions_node(definitions, id);
        const struct mt_code *code = node->python ? mt_definitions_code(definitions, node->where) : NULL;
        struct mt_code_phase said = {0};
        if (code) said = mt_phase_of_python(code->function, code->file);
        if (said.certain) return said.phase == MT_PHASE_OPTIMIZER;
        id = node->parent;
    }
    return false;
}

// From the innermost frame outwards: the first that says something, if it is certain; else the first certain one.
static void listen_to_frames(const struct mt_definitions *definitions, uint32_t stack, struct saying *saying) {
    const struct mt_node *top = mt_definitions_node(definitions, stack);
    saying->engine = mt_definitions_is_engine(definitions, stack);
    // Of what is joined, only PyTorch's own threads run Python too; a forward there is a part of backward.
    bool in_engine = top && (top->in_torch || top->in_python) && mt_definitions_is_cross_thread(definitions, stack);
    saying->certain = saying->engine || in_engine;
    saying->within = in_engine && optimizes(definitions, stack);
    if (saying->certain) saying->phase = saying->within ? MT_PHASE_OPTIMIZER : MT_PHASE_BACKWARD;
    for (uint32_t id = stack; id && !saying->certain;) {
        const struct mt_node *node = mt_definitions_node(definitions, id);
        if (!node) return;
        const struct mt_code *code = node->python ? mt_definitions_code(definitions, node->where) : NULL;
        struct mt_code_phase said = {0};
        if (code) said = mt_phase_of_python(code->function, code->file);
        if (said.known && (said.certain || saying->phase == MT_PHASE_OTHER)) {
            saying->phase = said.phase;
            saying->certain = said.certain;
            saying->update = said.zero_grad;
        }
        id = node->parent;
    }
}

static const struct saying *stack_says(struct mt_phases *phases, uint32_t stack) {
    struct saying *saying = find(phases->stacks, stack);
    if (saying) return saying;
    saying = add(&phases->stacks, stack);
    listen_to_frames(phases->report->definitions, stack, saying);
    return saying;
}

static const struct saying *text_says(struct mt_phases *phases, uint32_t text) {
    struct saying *saying = find(phases->texts, text);
    if (saying) return saying;
    saying = add(&phases->texts, text);
    const char *string = mt_definitions_string(phases->report->definitions, text);
    if (!string) return saying;
    saying->phase = mt_phase_of_range(string);
    saying->step = mt_is_step_range(string);
    return saying;
}

static enum mt_phase phase_of(struct mt_phases *phases, const struct mt_model *model, const struct mt_change *change) {
    const struct saying *stack = stack_says(phases, change->event->stack);
    if (stack->certain) return stack->phase;
    uint32_t texts[RANGES];
    size_t count = mt_model_ranges(model, change, texts, RANGES);
    for (size_t i = 0; i < count; i++) {
        enum mt_phase phase = text_says(phases, texts[i])->phase;
        if (phase != MT_PHASE_OTHER) return phase;
    }
    return stack->phase;
}

// The phase that the thread, or its caller, is in: optimizers within a backward end no step.
static enum mt_phase entered_at(struct mt_phases *phases, const struct mt_model *model,
                                const struct mt_change *change) {
    if (stack_says(phases, change->event->stack)->within) return MT_PHASE_BACKWARD;
    return phase_of(phases, model, change);
}

static bool is_step_begin(struct mt_phases *phases, const struct mt_record_event *event) {
    if (event->effect != MT_EFFECT_RANGE_PUSHED && event->effect != MT_EFFECT_RANGE_STARTED) return false;
    return text_says(phases, (uint32_t)event->tags[MT_TAG_TEXT])->step;
}

// Optimizers that allocate nothing still launch kernels.
static bool is_update(struct mt_phases *phases, const struct mt_record_event *event) {
    if (event->effect != MT_EFFECT_LAUNCHED || !event->launch) return false;
    struct saying *saying = find(phases->launches, event->launch);
    if (saying) return saying->update;
    saying = add(&phases->launches, event->launch);
    const struct mt_launch *launch = mt_definitions_launch(phases->report->definitions, event->launch);
    const char *kernel = launch ? mt_definitions_kernel(phases->report->definitions, launch->kernel) : NULL;
    saying->update = kernel && mt_is_update_kernel(kernel);
    return saying->update;
}

static int survey(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct mt_phases *phases = user;
    if (is_step_begin(phases, change->event)) phases->step_ranges = true;
    if (change->live) phases->found[entered_at(phases, model, change)] = true;
    if (phases->found[MT_PHASE_BACKWARD] && is_update(phases, change->event)) phases->found[MT_PHASE_OPTIMIZER] = true;
    return 0;
}

struct mt_phases *mt_phases_new(const struct mt_report *report) {
    struct mt_phases *phases = mt_allocate(sizeof(*phases));
    phases->report = report;
    mt_report_replay(report, survey, phases);
    return phases;
}

static void free_sayings(struct saying **sayings) {
    mt_hash_free(*sayings);
}

void mt_phases_restart(struct mt_phases *phases) {
    mt_hash_free(phases->threads);
    phases->now = (struct mt_phase_point){0};
    phases->instances = phases->caller = 0;
    phases->step_ended = true;
}

void mt_phases_free(struct mt_phases *phases) {
    if (!phases) return;
    mt_phases_restart(phases);
    free_sayings(&phases->stacks);
    free_sayings(&phases->texts);
    free_sayings(&phases->launches);
    free(phases);
}

enum mt_step_evidence mt_phases_evidence(const struct mt_phases *phases) {
    if (phases->step_ranges) return MT_STEPS_BY_RANGES;
    if (phases->found[MT_PHASE_OPTIMIZER]) return MT_STEPS_BY_OPTIMIZER;
    if (phases->found[MT_PHASE_BACKWARD]) return MT_STEPS_BY_BACKWARD;
    return phases->found[MT_PHASE_FORWARD] ? MT_STEPS_BY_FORWARD : MT_STEPS_NONE;
}

bool mt_phases_found(const struct mt_phases *phases, enum mt_phase phase) {
    return phases->found[phase];
}

static struct thread_state *thread_of(struct mt_phases *phases, uint32_t number) {
    struct thread_state *thread;
    HASH_FIND(hh, phases->threads, &number, sizeof(number), thread);
    if (thread) return thread;
    thread = mt_allocate(sizeof(*thread));
    thread->thread = number;
    HASH_ADD(hh, phases->threads, thread, sizeof(thread->thread), thread);
    return thread;
}

static void begin_step(struct mt_phases *phases) {
    phases->now.step++;
    phases->now.position = MT_BEFORE_FORWARD;
    phases->step_ended = false;
}

// A phase is over: with it, perhaps, the step.
static void leave(struct mt_phases *phases, enum mt_phase phase) {
    enum mt_step_evidence evidence = mt_phases_evidence(phases);
    if (phase == MT_PHASE_BACKWARD) phases->now.backwards++;
    if ((evidence == MT_STEPS_BY_OPTIMIZER && phase == MT_PHASE_OPTIMIZER) ||
        (evidence == MT_STEPS_BY_BACKWARD && phase == MT_PHASE_BACKWARD) ||
        (evidence == MT_STEPS_BY_FORWARD && phase == MT_PHASE_FORWARD))
        phases->step_ended = true;
}

static void enter(struct mt_phases *phases, enum mt_phase phase) {
    bool by_range = phases->step_ranges;
    if (phase == MT_PHASE_FORWARD) phases->now.forwards++;
    if (!by_range && phases->step_ended && (phase == MT_PHASE_FORWARD || phase == MT_PHASE_BACKWARD))
        begin_step(phases);
    if (phase == MT_PHASE_FORWARD) phases->now.position = MT_AFTER_FORWARD;
    if (phase == MT_PHASE_BACKWARD || phase == MT_PHASE_OPTIMIZER) phases->now.position = MT_AFTER_BACKWARD;
}

// What backward has made is used, or thrown away: the step is over, whether the optimizer allocates or not.
static void end_used(struct mt_phases *phases) {
    if (mt_phases_evidence(phases) == MT_STEPS_BY_OPTIMIZER && phases->now.position == MT_AFTER_BACKWARD)
        phases->step_ended = true;
}

struct mt_phase_point mt_phases_follow(struct mt_phases *phases, const struct mt_model *model,
                                       const struct mt_change *change) {
    if (phases->step_ranges && is_step_begin(phases, change->event)) begin_step(phases);
    if (is_update(phases, change->event)) end_used(phases);
    if (!change->live) return phases->now;
    enum mt_phase phase = phase_of(phases, model, change), entered = entered_at(phases, model, change);
    if (!stack_says(phases, change->event->stack)->engine) phases->caller = change->cause;
    struct thread_state *thread = thread_of(phases, phases->caller);
    if (entered != thread->phase || !thread->instance) {
        leave(phases, thread->phase);
        thread->phase = entered;
        thread->instance = ++phases->instances;
        enter(phases, entered);
    }
    if (stack_says(phases, change->event->stack)->update) end_used(phases);
    struct mt_phase_point point = phases->now;
    point.phase = phase;
    point.instance = thread->instance;
    // Between the end of a step and the next forward, what is made is made for that one.
    if (phases->step_ended && !phases->step_ranges && phase == MT_PHASE_OTHER) point.position = MT_BEFORE_FORWARD;
    return point;
}
