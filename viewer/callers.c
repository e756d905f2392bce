/*
 * Who called for work on other threads; see callers.h.
 */
#include "viewer/callers.h"

#include <stddef.h>

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

void mt_callers_note(struct mt_callers *callers, const struct mt_record_event *event) {
    struct mt_compilation *compilation;
    switch (event->effect) {
    case MT_EFFECT_BACKWARD:
        callers->backward = (struct mt_caller){event->stack, event->thread};
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
    const struct mt_caller *compiler = compiling(callers);
    if (callers->backward.stack && event->thread != callers->backward.thread &&
        mt_definitions_is_engine(definitions, event->stack)) {
        *out = callers->backward;
        return true;
    }
    if (!compiler || event->thread == compiler->thread ||
        !mt_definitions_may_serve(definitions, event->stack, compiler->stack))
        return false;
    *out = *compiler;
    return true;
}
