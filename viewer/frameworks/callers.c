/*
 * Who called for work on other threads; see callers.h.
 */
#include "viewer/frameworks/callers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"

static size_t find_engine(const struct mt_callers *callers, uint32_t thread) {
    size_t i = 0;
    while (i < callers->engine_count && callers->engines[i] != thread) i++;
    return i;
}

static bool is_engine(const struct mt_callers *callers, uint32_t thread) {
    return find_engine(callers, thread) < callers->engine_count;
}

static void add_engine(struct mt_callers *callers, uint32_t thread) {
    if (is_engine(callers, thread)) return;
    mt_grow(&callers->engines, &callers->engine_capacity, callers->engine_count + 1);
    callers->engines[callers->engine_count++] = thread;
}

// Another thread may have got the number of one that is gone.
static void remove_engine(struct mt_callers *callers, uint32_t thread) {
    size_t at = find_engine(callers, thread);
    if (at < callers->engine_count) callers->engines[at] = callers->engines[--callers->engine_count];
}

// Whether a whole stack, from the beginning of its thread in the C library, has PyTorch's own code outermost. Python
// may be further in: a hook, or the forward that a checkpoint recomputes.
static bool begins_in_torch(const struct mt_definitions *definitions, uint32_t stack) {
    const struct mt_node *node = mt_definitions_node(definitions, stack);
    if (!node || !node->in_torch) return false;
    while (node->parent) node = mt_definitions_node(definitions, node->parent);
    return !node->root;
}

// Whether the stack is one of more frames that go on from another one's caller.
static bool is_within(const struct mt_definitions *definitions, uint32_t stack, uint32_t other) {
    const struct mt_node *node = mt_definitions_node(definitions, other);
    uint32_t caller = node ? node->parent : 0;
    node = mt_definitions_node(definitions, stack);
    for (uint32_t id = node ? node->parent : 0; id && caller; id = node ? node->parent : 0) {
        node = mt_definitions_node(definitions, id);
        if (node && node->parent == caller) return true;
    }
    return false;
}

static struct mt_backward *backward_of(struct mt_callers *callers, uint32_t thread) {
    for (size_t i = 0; i < callers->backward_count; i++)
        if (callers->backwards[i].caller.thread == thread) return &callers->backwards[i];
    return NULL;
}

static void on_backward(struct mt_callers *callers, const struct mt_definitions *definitions,
                        const struct mt_record_event *event) {
    // One that PyTorch's thread calls serves the one for which that thread works.
    if (begins_in_torch(definitions, event->stack)) {
        add_engine(callers, event->thread);
        return;
    }
    remove_engine(callers, event->thread);
    struct mt_backward *backward = backward_of(callers, event->thread);
    if (backward && is_within(definitions, event->stack, backward->caller.stack)) {
        backward->depth++;
        return;
    }
    if (!backward) { // else the end of that was lost
        mt_grow(&callers->backwards, &callers->backward_capacity, callers->backward_count + 1);
        backward = &callers->backwards[callers->backward_count++];
    }
    *backward = (struct mt_backward){{event->stack, event->thread}, 1};
}

static void on_backward_ended(struct mt_callers *callers, uint32_t thread) {
    struct mt_backward *backward = backward_of(callers, thread);
    if (!backward || --backward->depth) return;
    callers->last = backward->caller; // its threads may still have something to free
    size_t after = (size_t)(callers->backwards + callers->backward_count - (backward + 1));
    memmove(backward, backward + 1, after * sizeof(*backward));
    callers->backward_count--;
}

// The only one, or the only line of several; NULL: there is none, or it can't be told which.
static const struct mt_caller *calling_backward(const struct mt_callers *callers) {
    if (!callers->backward_count) return callers->last.stack ? &callers->last : NULL;
    for (size_t i = 1; i < callers->backward_count; i++)
        if (callers->backwards[i].caller.stack != callers->backwards[0].caller.stack) return NULL;
    return callers->backwards[0].caller.stack ? &callers->backwards[0].caller : NULL;
}

static struct mt_compilation *compilation_of(struct mt_callers *callers, uint32_t thread) {
    for (size_t i = 0; i < MT_COMPILATIONS_MAX; i++) {
        struct mt_compilation *compilation = &callers->compilations[i];
        if (compilation->ranges && compilation->caller.thread == thread) return compilation;
    }
    return NULL;
}

static void on_push(struct mt_callers *callers, const struct mt_record_event *event) {
    struct mt_compilation *compilation = compilation_of(callers, event->thread);
    if (compilation) {
        compilation->ranges++;
        return;
    }
    for (size_t i = 0; event->stack && i < MT_COMPILATIONS_MAX; i++) {
        compilation = &callers->compilations[i];
        if (compilation->ranges) continue;
        *compilation = (struct mt_compilation){{event->stack, event->thread}, 1};
        return;
    }
}

void mt_callers_note(struct mt_callers *callers, const struct mt_definitions *definitions,
                     const struct mt_record_event *event) {
    struct mt_compilation *compilation;
    if (mt_definitions_is_engine(definitions, event->stack)) add_engine(callers, event->thread);
    switch (event->effect) {
    case MT_EFFECT_BACKWARD:
        on_backward(callers, definitions, event);
        break;
    case MT_EFFECT_BACKWARD_ENDED:
        on_backward_ended(callers, event->thread);
        break;
    case MT_EFFECT_RANGE_PUSHED:
        on_push(callers, event);
        break;
    case MT_EFFECT_RANGE_POPPED:
        if ((compilation = compilation_of(callers, event->thread))) compilation->ranges--;
        break;
    default:
        break;
    }
}

// The only one under way, or NULL.
static const struct mt_caller *compiling(const struct mt_callers *callers) {
    const struct mt_caller *found = NULL;
    for (size_t i = 0; i < MT_COMPILATIONS_MAX; i++) {
        if (!callers->compilations[i].ranges) continue;
        if (found) return NULL;
        found = &callers->compilations[i].caller;
    }
    return found;
}

bool mt_callers_find(const struct mt_callers *callers, const struct mt_definitions *definitions,
                     const struct mt_record_event *event, struct mt_caller *out) {
    if (event->stack && is_engine(callers, event->thread)) {
        const struct mt_caller *caller = calling_backward(callers);
        if (caller) *out = *caller;
        return caller;
    }
    const struct mt_caller *compiler = compiling(callers);
    if (!compiler || event->thread == compiler->thread ||
        !mt_definitions_may_serve(definitions, event->stack, compiler->stack))
        return false;
    *out = *compiler;
    return true;
}

void mt_callers_clear(struct mt_callers *callers) {
    free(callers->backwards);
    free(callers->engines);
    *callers = (struct mt_callers){0};
}
