/*
 * Open NVTX ranges by thread; see marks.h. Pushes and pops pair within a domain, so a pop ends the innermost range of
 * its own domain, wherever that stands among those of others.
 */
#include "viewer/marks.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "viewer/memory.h"
#include "viewer/shape.h"

struct open_range {
    uint32_t text, domain;
    bool label;
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

static void push(struct mt_thread_marks *thread, const struct mt_definitions *definitions, uint32_t text,
                 uint32_t domain) {
    const char *string = mt_definitions_string(definitions, text);
    if (thread->depth == MT_MARK_DEPTH) {
        memmove(thread->ranges, thread->ranges + 1, (MT_MARK_DEPTH - 1) * sizeof(*thread->ranges));
        thread->depth--;
    }
    mt_grow(&thread->ranges, &thread->capacity, thread->depth + 1);
    thread->ranges[thread->depth++] =
        (struct open_range){.text = text, .domain = domain, .label = string && mt_has_shape(string)};
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
        push(thread_of(marks, event->thread), definitions, text, domain);
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
        thread_of(marks, event->thread)->last_mark = text;
        break;
    default:
        break;
    }
}

struct mt_mark mt_marks_now(const struct mt_marks *marks, uint32_t thread) {
    struct mt_mark mark = {0};
    const struct mt_thread_marks *found;
    HASH_FIND(hh, marks->threads, &thread, sizeof(thread), found);
    if (found && found->depth && found->ranges[found->depth - 1].label)
        mark.label = found->ranges[found->depth - 1].text;
    for (size_t i = found ? found->depth : 0; i-- > 0 && !mark.phase;)
        if (!found->ranges[i].label) mark.phase = found->ranges[i].text;
    if (!mark.phase && marks->started) mark.phase = marks->started->text;
    if (!mark.phase && found) mark.phase = found->last_mark;
    return mark;
}

size_t mt_marks_open(const struct mt_marks *marks, uint32_t thread, uint32_t *texts, size_t room) {
    const struct mt_thread_marks *found;
    size_t count = 0;
    HASH_FIND(hh, marks->threads, &thread, sizeof(thread), found);
    for (size_t i = found ? found->depth : 0; i-- > 0 && count < room;)
        if (!found->ranges[i].label) texts[count++] = found->ranges[i].text;
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
}
