/*
 * Stacks behind the last line; see ends.h. Each thread keeps those that came since its latest line; when another
 * line comes, they were none of the last.
 */
#include "viewer/frameworks/ends.h"

#include <stdlib.h>
#include <uthash.h>

#include "viewer/base/memory.h"

struct thread {
    uint32_t id;
    bool has_lines;
    uint32_t *waiting; // stacks since its latest line
    size_t count, capacity;
    UT_hash_handle hh;
};

// What is known of a stack.
struct state {
    uint32_t thread; // on whose list it is, + 1; 0: none
    bool last;       // came behind a thread's latest line so far
    bool followed;   // a line has come after it
};

struct mt_ends {
    const struct mt_definitions *definitions;
    struct thread *threads;
    struct state *states; // by stack
    size_t capacity;
};

struct mt_ends *mt_ends_new(const struct mt_definitions *definitions) {
    struct mt_ends *endings = mt_allocate(sizeof(*endings));
    endings->definitions = definitions;
    return endings;
}

void mt_ends_free(struct mt_ends *endings) {
    if (!endings) return;
    struct thread *thread, *next;
    HASH_ITER(hh, endings->threads, thread, next) {
        HASH_DEL(endings->threads, thread);
        free(thread->waiting);
        free(thread);
    }
    free(endings->states);
    free(endings);
}

static struct thread *thread_of(struct mt_ends *endings, uint32_t id) {
    struct thread *thread;
    HASH_FIND(hh, endings->threads, &id, sizeof(id), thread);
    if (thread) return thread;
    thread = mt_allocate(sizeof(*thread));
    thread->id = id;
    HASH_ADD(hh, endings->threads, id, sizeof(thread->id), thread);
    return thread;
}

static void on_line(struct mt_ends *endings, struct thread *thread) {
    thread->has_lines = true;
    for (size_t i = 0; i < thread->count; i++) {
        struct state *state = &endings->states[thread->waiting[i]];
        state->followed = true;
        state->thread = 0;
    }
    thread->count = 0;
}

void mt_ends_follow(struct mt_ends *endings, const struct mt_record_event *event) {
    const struct mt_node *node = mt_definitions_node(endings->definitions, event->stack);
    if (!node) return;
    struct thread *thread = thread_of(endings, event->thread);
    if (node->in_python) {
        on_line(endings, thread);
        return;
    }
    mt_grow(&endings->states, &endings->capacity, (size_t)event->stack + 1);
    struct state *state = &endings->states[event->stack];
    if (state->followed || !thread->has_lines || state->thread == event->thread + 1) return;
    state->last = true;
    state->thread = event->thread + 1;
    mt_grow(&thread->waiting, &thread->capacity, thread->count + 1);
    thread->waiting[thread->count++] = event->stack;
}

bool mt_ends_is_last(const struct mt_ends *endings, uint32_t stack) {
    return stack < endings->capacity && endings->states[stack].last && !endings->states[stack].followed;
}
