// Address pieces in a treap that also knows the largest free piece of each subtree, so the lowest fit is one descent.
// Used and free pieces are in one tree: neighbours are found by address, and so is the piece behind a pointer.
#include "tests/simcuda/driver/space.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static uint64_t largest_free(const struct sim_range *range) {
    return range ? range->largest_free : 0;
}

static void refresh(struct sim_range *range) {
    uint64_t largest = range->use == SIM_FREE ? range->bytes : 0;
    if (largest_free(range->left) > largest) largest = range->left->largest_free;
    if (largest_free(range->right) > largest) largest = range->right->largest_free;
    range->largest_free = largest;
}

// After a piece changed: brings the nodes between it and the root up to date.
static void refresh_path(struct sim_range *root, const struct sim_range *range) {
    if (root != range) refresh_path(range->start < root->start ? root->left : root->right, range);
    refresh(root);
}

// Splits into pieces that start before the key and the others.
static void split(struct sim_range *root, uint64_t key, struct sim_range **below, struct sim_range **rest) {
    if (!root) {
        *below = *rest = NULL;
    } else if (root->start < key) {
        *below = root;
        split(root->right, key, &root->right, rest);
        refresh(root);
    } else {
        *rest = root;
        split(root->left, key, below, &root->left);
        refresh(root);
    }
}

static struct sim_range *merge(struct sim_range *low, struct sim_range *high) {
    if (!low || !high) return low ? low : high;
    struct sim_range *root = low->priority > high->priority ? low : high;
    if (root == low)
        low->right = merge(low->right, high);
    else
        high->left = merge(low, high->left);
    refresh(root);
    return root;
}

static void insert(struct sim_range **root, struct sim_range *range) {
    if (*root && (*root)->priority >= range->priority) {
        insert(range->start < (*root)->start ? &(*root)->left : &(*root)->right, range);
    } else {
        split(*root, range->start, &range->left, &range->right);
        *root = range;
    }
    refresh(*root);
}

static void erase(struct sim_range **root, const struct sim_range *range) {
    if (*root == range) {
        *root = merge(range->left, range->right);
        return;
    }
    erase(range->start < (*root)->start ? &(*root)->left : &(*root)->right, range);
    refresh(*root);
}

// A new node, free, not in the tree yet.
static struct sim_range *node_new(struct sim_space *space, uint64_t start, uint64_t bytes) {
    struct sim_range *range = space->spare;
    if (range)
        space->spare = range->left;
    else if (!(range = malloc(sizeof(*range))))
        return NULL;
    space->seed = space->seed * 1664525u + 1013904223u;
    *range = (struct sim_range){.start = start, .bytes = bytes, .device = -1, .priority = space->seed};
    return range;
}

static void node_delete(struct sim_space *space, struct sim_range *range) {
    range->left = space->spare;
    space->spare = range;
}

void sim_space_remove(struct sim_space *space, struct sim_range *range) {
    erase(&space->root, range);
    node_delete(space, range);
}

static uint64_t round_up(uint64_t value, uint64_t align) {
    return (value + align - 1) & ~(align - 1);
}

static struct sim_range *lowest_fit(struct sim_range *root, uint64_t bytes, uint64_t align) {
    if (largest_free(root) < bytes) return NULL;
    struct sim_range *fit = lowest_fit(root->left, bytes, align);
    if (fit) return fit;
    if (root->use == SIM_FREE && round_up(root->start, align) + bytes <= root->start + root->bytes) return root;
    return lowest_fit(root->right, bytes, align);
}

// Cuts a free piece down to [start, start + bytes); what is left of it on both sides stays free.
static struct sim_range *carve(struct sim_space *space, struct sim_range *range, uint64_t start, uint64_t bytes) {
    uint64_t end = range->start + range->bytes;
    struct sim_range *before = NULL, *after = NULL;
    if (start > range->start && !(before = node_new(space, range->start, start - range->start))) return NULL;
    if (start + bytes < end && !(after = node_new(space, start + bytes, end - start - bytes))) {
        if (before) node_delete(space, before);
        return NULL;
    }
    range->start = start; // order in the tree is unchanged: it only shrinks
    range->bytes = bytes;
    range->use = SIM_INTERNAL;
    refresh_path(space->root, range);
    if (before) insert(&space->root, before);
    if (after) insert(&space->root, after);
    return range;
}

struct sim_range *sim_space_take(struct sim_space *space, uint64_t bytes, uint64_t align) {
    struct sim_range *fit = lowest_fit(space->root, bytes, align);
    return fit ? carve(space, fit, round_up(fit->start, align), bytes) : NULL;
}

// The last piece that starts at or before the address.
static struct sim_range *piece_at(const struct sim_space *space, uint64_t address) {
    struct sim_range *best = NULL;
    for (struct sim_range *range = space->root; range;) {
        if (range->start <= address) {
            best = range;
            range = range->right;
        } else {
            range = range->left;
        }
    }
    return best;
}

struct sim_range *sim_space_take_at(struct sim_space *space, uint64_t start, uint64_t bytes) {
    struct sim_range *range = piece_at(space, start);
    if (!range || range->use != SIM_FREE || start + bytes > range->start + range->bytes) return NULL;
    return carve(space, range, start, bytes);
}

static bool can_join(const struct sim_space *space, const struct sim_range *low, const struct sim_range *high) {
    if (!low || !high || low->use != SIM_FREE || high->use != SIM_FREE || low->start + low->bytes != high->start)
        return false;
    return !space->boundary || high->start % space->boundary != 0;
}

// Makes `low` hold what `high` held.
static void join(struct sim_space *space, struct sim_range *low, struct sim_range *high) {
    erase(&space->root, high);
    low->bytes += high->bytes;
    node_delete(space, high);
    refresh_path(space->root, low);
}

// Joins a free piece with the free ones on both sides; returns what it is part of then.
static struct sim_range *join_neighbours(struct sim_space *space, struct sim_range *range) {
    struct sim_range *high = piece_at(space, range->start + range->bytes);
    if (high != range && can_join(space, range, high)) join(space, range, high);
    struct sim_range *low = range->start ? piece_at(space, range->start - 1) : NULL;
    if (!can_join(space, low, range)) return range;
    join(space, low, range);
    return low;
}

int sim_space_add(struct sim_space *space, uint64_t start, uint64_t bytes) {
    struct sim_range *range = node_new(space, start, bytes);
    if (!range) return -ENOMEM;
    insert(&space->root, range);
    join_neighbours(space, range);
    return 0;
}

struct sim_range *sim_space_give(struct sim_space *space, struct sim_range *range) {
    range->use = SIM_FREE;
    range->owner = NULL;
    range->context = NULL;
    refresh_path(space->root, range);
    return join_neighbours(space, range);
}

void sim_space_take_away(struct sim_space *space, uint64_t start, uint64_t bytes) {
    struct sim_range *range = sim_space_take_at(space, start, bytes);
    if (range) sim_space_remove(space, range);
}

void sim_space_free_nodes(struct sim_space *space) {
    while (space->spare) {
        struct sim_range *range = space->spare;
        space->spare = range->left;
        free(range);
    }
}

struct sim_range *sim_space_find(const struct sim_space *space, uint64_t address) {
    struct sim_range *range = piece_at(space, address);
    if (!range || range->use == SIM_FREE || address - range->start >= range->bytes) return NULL;
    return range;
}

struct sim_range *sim_space_next(const struct sim_space *space, uint64_t address) {
    for (;;) {
        struct sim_range *best = NULL;
        for (struct sim_range *range = space->root; range;) {
            if (range->start >= address) {
                best = range;
                range = range->left;
            } else {
                range = range->right;
            }
        }
        if (!best || best->use != SIM_FREE) return best;
        address = best->start + best->bytes;
    }
}
