/*
 * Cross-thread stacks; see cross_thread.h.
 */
#include "viewer/trace/cross_thread.h"

#include <stdlib.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"
#include "viewer/trace/definitions.h"

struct pair {
    struct {
        uint32_t stack, caller;
    } key;
    uint32_t node;
    UT_hash_handle hh;
};

struct mt_cross_thread {
    struct pair *pairs;
    struct mt_node *nodes;
    size_t capacity;
    uint32_t count;
    // The stack being joined, innermost first.
    uint32_t *chain;
    size_t chain_capacity;
};

struct mt_cross_thread *mt_cross_thread_new(void) {
    return mt_allocate(sizeof(struct mt_cross_thread));
}

void mt_cross_thread_free(struct mt_cross_thread *joined) {
    if (!joined) return;
    mt_hash_free(joined->pairs);
    free(joined->nodes);
    free(joined->chain);
    free(joined);
}

static struct pair *find(const struct mt_cross_thread *joined, uint32_t stack, uint32_t caller) {
    struct pair *pair, wanted = {.key = {stack, caller}};
    HASH_FIND(hh, joined->pairs, &wanted.key, sizeof(wanted.key), pair);
    return pair;
}

static uint32_t add(struct mt_cross_thread *joined, const struct mt_node *node, uint32_t first, uint32_t parent) {
    mt_grow(&joined->nodes, &joined->capacity, (size_t)joined->count + 1);
    joined->nodes[joined->count] = *node;
    joined->nodes[joined->count].parent = parent;
    return first + joined->count++;
}

uint32_t mt_cross_thread_make(struct mt_cross_thread *joined, const struct mt_definitions *definitions, uint32_t first,
                              uint32_t stack, uint32_t caller) {
    // Down to where the stack ends, or joins one that is joined already.
    uint32_t parent = caller;
    size_t depth = 0;
    for (uint32_t id = stack; id;) {
        const struct mt_node *node = mt_definitions_node(definitions, id);
        const struct pair *known = find(joined, id, caller);
        if (known) parent = known->node;
        if (known || !node) break;
        mt_grow(&joined->chain, &joined->chain_capacity, depth + 1);
        joined->chain[depth++] = id;
        id = node->parent;
    }
    while (depth-- > 0) {
        uint32_t id = joined->chain[depth];
        struct pair *pair = mt_allocate(sizeof(*pair));
        pair->key.stack = id;
        pair->key.caller = caller;
        pair->node = parent = add(joined, mt_definitions_node(definitions, id), first, parent);
        HASH_ADD(hh, joined->pairs, key, sizeof(pair->key), pair);
    }
    return parent;
}

const struct mt_node *mt_cross_thread_node(const struct mt_cross_thread *joined, uint32_t number) {
    return number < joined->count ? &joined->nodes[number] : NULL;
}

uint32_t mt_cross_thread_count(const struct mt_cross_thread *joined) {
    return joined->count;
}
