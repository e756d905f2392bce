/*
 * Open NVTX ranges by thread; see marks.h. Pushes and pops pair within a domain, so a pop ends the innermost range of
 * its own domain, wherever that stands among those of others.
 */
#include "viewer/model/marks.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "viewer/base/memory.h"
#include "viewer/base/printable.h"
#include "viewer/frameworks/operators.h"
#include "viewer/frameworks/shape.h"

struct open_range {
    uint32_t text, domain;
    uint32_t mark; // the text that it has as a mark; 0: it is none
    bool label;
};

// The first text that was seen of an operator.
struct mt_operator_text {
    uint32_t text;
    const char *name; // key: without an end of its own
    size_t name_bytes;
    UT_hash_handle hh;
};

struct mt_thread_marks {
    uint32_t thread;
    uint32_t last_mark;
    size_t depth;
    struct open_range *ranges; // outermost first
    size_t capacity;
    UT_hash_handle hh;
};

struct mt_process_range {
    uint64_t id;
    uint32_t text;
    struct mt_process_range *next;
};

static struct mt_thread_marks *thread_of(struct mt_marks *marks, uint32_t thread) {
    struct mt_thread_marks *found;
    HASH_FIND(hh, marks->threads, &thread, sizeof(thread), found);
    if (found) return found;
    found = mt_allocate(sizeof(*found));
    found->thread = thread;
    HASH_ADD(hh, marks->threads, thread, sizeof(found->thread), found);
    return found;
}

// One text for all of an operator's.
static uint32_t text_of_operator(struct mt_marks *marks, uint32_t text, const char *string, size_t name_bytes) {
    struct mt_operator_text *found;
    HASH_FIND(hh, marks->operators, string, name_bytes, found);
    if (found) return found->text;
    found = mt_allocate(sizeof(*found));
    *found = (struct mt_operator_text){.text = text, .name = string, .name_bytes = name_bytes};
    HASH_ADD_KEYPTR(hh, marks->operators, found->name, found->name_bytes, found);
    return text;
}

static struct open_range range_of(struct mt_marks *marks, const struct mt_definitions *definitions, uint32_t text,
                                  uint32_t domain) {
    struct open_range range = {.text = text, .domain = domain, .mark = text};
    const char *string = mt_definitions_string(definitions, text);
    if (!string) return range;
    range.label = mt_has_shape(string);
    size_t name_bytes = mt_operator_name(string);
    if (name_bytes)
        range.mark = mt_operator_only_allocates(string) ? 0 : text_of_operator(marks, text, string, name_bytes);
    else if (range.label)
        range.mark = 0;
    return range;
}

static void push(struct mt_thread_marks *thread, struct open_range range) {
    if (thread->depth == MT_MARK_DEPTH) {
        memmove(thread->ranges, thread->ranges + 1, (MT_MARK_DEPTH - 1) * sizeof(*thread->ranges));
        thread->depth--;
    }
    mt_grow(&thread->ranges, &thread->capacity, thread->depth + 1);
    thread->ranges[thread->depth++] = range;
}

static void pop(struct mt_thread_marks *thread, uint32_t domain) {
    for (size_t i = thread->depth; i-- > 0;) {
        if (thread->ranges[i].domain != domain) continue;
        memmove(thread->ranges + i, thread->ranges + i + 1, (thread->depth - i - 1) * sizeof(*thread->ranges));
        thread->depth--;
        return;
    }
}

static void start(struct mt_marks *marks, uint64_t id, uint32_t text) {
    struct mt_process_range *range = mt_allocate(sizeof(*range));
    *range = (struct mt_process_range){.id = id, .text = text, .next = marks->started};
    marks->started = range;
}

static void end(struct mt_marks *marks, uint64_t id) {
    for (struct mt_process_range **at = &marks->started; *at; at = &(*at)->next) {
        if ((*at)->id != id) continue;
        struct mt_process_range *ended = *at;
        *at = ended->next;
        free(ended);
        return;
    }
}

void mt_marks_apply(struct mt_marks *marks, const struct mt_definitions *definitions,
                    const struct mt_record_event *event) {
    uint32_t text = (uint32_t)event->tags[MT_TAG_TEXT], domain = (uint32_t)event->tags[MT_TAG_DOMAIN];
    switch (event->effect) {
    case MT_EFFECT_RANGE_PUSHED:
        push(thread_of(marks, event->thread), range_of(marks, definitions, text, domain));
        break;
    case MT_EFFECT_RANGE_POPPED:
        pop(thread_of(marks, event->thread), domain);
        break;
    case MT_EFFECT_RANGE_STARTED:
        start(marks, event->tags[MT_TAG_RANGE], text);
        break;
    case MT_EFFECT_RANGE_ENDED:
        end(marks, event->tags[MT_TAG_RANGE]);
        break;
    case MT_EFFECT_MARKED:
        thread_of(marks, event->thread)->last_mark = text ? text | MT_PHASE_SINCE : 0;
        break;
    default:
        break;
    }
}

struct mt_mark mt_marks_now(const struct mt_marks *marks, uint32_t thread) {
    struct mt_mark mark = {0};
    const struct mt_thread_marks *found;
    HASH_FIND(hh, marks->threads, &thread, sizeof(thread), found);
    size_t depth = found ? found->depth : 0;
    for (size_t i = depth; i-- > 0;) {
        const struct open_range *range = &found->ranges[i];
        if (range->label) mark.label = range->text;
        if (range->label || range->mark) break;
    }
    for (size_t i = depth; i-- > 0 && !mark.phase;) mark.phase = found->ranges[i].mark;
    if (!mark.phase && marks->started) mark.phase = marks->started->text;
    if (!mark.phase && found) mark.phase = found->last_mark;
    return mark;
}

size_t mt_marks_open(const struct mt_marks *marks, uint32_t thread, uint32_t *texts, size_t room) {
    const struct mt_thread_marks *found;
    size_t count = 0;
    HASH_FIND(hh, marks->threads, &thread, sizeof(thread), found);
    for (size_t i = found ? found->depth : 0; i-- > 0 && count < room;)
        if (found->ranges[i].mark) texts[count++] = found->ranges[i].mark;
    for (const struct mt_process_range *range = marks->started; range && count < room; range = range->next)
        texts[count++] = range->text;
    return count;
}

void mt_marks_clear(struct mt_marks *marks) {
    struct mt_thread_marks *thread, *next;
    HASH_ITER(hh, marks->threads, thread, next) {
        HASH_DEL(marks->threads, thread);
        free(thread->ranges);
        free(thread);
    }
    while (marks->started) end(marks, marks->started->id);
    struct mt_operator_text *operator, * next_operator;
    HASH_ITER(hh, marks->operators, operator, next_operator) {
        HASH_DEL(marks->operators, operator);
        free(operator);
    }
}

char *mt_phase_name(const struct mt_definitions *definitions, uint32_t phase) {
    const char *text = mt_definitions_string(definitions, phase & ~MT_PHASE_SINCE);
    if (!text) text = "outside all ranges";
    if (!*text) text = "(unnamed)";
    size_t name_bytes = mt_operator_name(text);
    char *name = mt_format_text("%.*s", (int)(name_bytes ? name_bytes : strlen(text)), text);
    char *shown = mt_shortened(name, MT_NAME_COLUMNS);
    free(name);
    return shown;
}
