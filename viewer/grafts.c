/*
 * Grafted stacks; see grafts.h.
 */
#include "viewer/grafts.h"

#include <stdlib.h>

#include "viewer/definitions.h"
#include "viewer/hash.h"
#include "viewer/memory.h"

struct pair {
    struct {
        uint32_t stack, caller;
    } key;
    uint32_t node;
    UT_hash_handle hh;
};

struct mt_grafts {
    struct pair *pairs;
    struct mt_node *nodes;
    size_t capacity;
    uint32_t count;
    // The stack being grafted, innermost first.
    uint32_t *chain;
    size_t chain_capacity;
};

struct mt_grafts *mt_grafts_new(void) {
    return mt_allocate(sizeof(struct mt_grafts));
}

void mt_grafts_free(struct mt_grafts *grafts) {
    if (!grafts) return;
    mt_hash_free(grafts->pairs);
    free(grafts->nodes);
    free(grafts->chain);
    free(grafts);
}

static struct pair *find(const struct mt_grafts *grafts, uint32_t stack, uint32_t caller) {
    struct pair *pair, wanted = {.key = {stack, caller}};
    HASH_FIND(hh, grafts->pairs, &wanted.key, sizeof(wanted.key), pair);
    return pair;
}

static uint32_t add(struct mt_grafts *grafts, const struct mt_node *node, uint32_t first, uint32_t parent) {
    mt_grow(&grafts->nodes, &grafts->capacity, (size_t)grafts->count + 1);
    grafts->nodes[grafts->count] = *node;
    grafts->nodes[grafts->count].parent = parent;
    return first + grafts->count++;
}

uint32_t mt_grafts_make(struct mt_grafts *grafts, const struct mt_definitions *definitions, uint32_t first,
                        uint32_t stack, uint32_t caller) {
    // Down to where the stack ends, or joins one that is grafted already.
    uint32_t parent = caller;
    size_t depth = 0;
    for (uint32_t id = stack; id;) {
        const struct mt_node *node = mt_definitions_node(definitions, id);
        const struct pair *known = find(grafts, id, caller);
        if (known) parent = known->node;
        if (known || !node) break;
        mt_grow(&grafts->chain, &grafts->chain_capacity, depth + 1);
        grafts->chain[depth++] = id;
        id = node->parent;
    }
    while (depth-- > 0) {
        uint32_t id = grafts->chain[depth];
        struct pair *pair = mt_allocate(sizeof(*pair));
        pair->key.stack = id;
        pair->key.caller = caller;
        pair->node = parent = add(grafts, mt_definitions_node(definitions, id), first, parent);
        HASH_ADD(hh, grafts->pairs, key, sizeof(pair->key), pair);
    }
    return parent;
}

const struct mt_node *mt_grafts_node(const struct mt_grafts *grafts, uint32_t number) {
    return number < grafts->count ? &grafts->nodes[number] : NULL;
}

uint32_t mt_grafts_count(const struct mt_grafts *grafts) {
    return grafts->count;
}
