// A range of addresses handed out in pieces, always at the lowest address that fits, so that a program gets the same
// addresses in each run. Every operation is O(log n). Not thread-safe: callers hold the device lock.
#ifndef SIM_SPACE_H
#define SIM_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct sim_context;

enum sim_use {
    SIM_FREE,
    SIM_LINEAR,   // cuMemAlloc, cuMemAllocPitch
    SIM_ARRAY,    // cuArrayCreate and friends
    SIM_POOLED,   // cuMemAllocAsync; owner: struct sim_pool
    SIM_GRAPH,    // a graph's memory node; owner: struct sim_graph_memory
    SIM_MANAGED,  // cuMemAllocManaged
    SIM_HOST,     // cuMemHostAlloc
    SIM_GLOBAL,   // a module's variables; owner: struct sim_library
    SIM_RESERVED, // cuMemAddressReserve
    SIM_IMPORTED, // memory of another process or API
    SIM_INTERNAL, // pages that hold small allocations, segments of pools
};

// One piece, used or free.
struct sim_range {
    uint64_t start;
    uint64_t bytes;     // taken
    uint64_t requested; // asked for
    uint64_t resident;  // bytes of device memory behind it, where they aren't `bytes`
    uint64_t id;        // of the allocation, unique in the process
    struct sim_context *context;
    void *owner;
    int device; // ordinal, -1: the host
    unsigned flags;
    enum sim_use use;
    // The tree, ordered by start and a heap in priority.
    uint32_t priority;
    uint64_t largest_free; // in this subtree
    struct sim_range *left, *right;
};

struct sim_space {
    struct sim_range *root;
    struct sim_range *spare; // unused nodes, linked by left
    uint64_t boundary;       // free pieces on both sides of a multiple of it aren't joined; 0: none
    uint32_t seed;
};

// Adds [start, start + bytes) as free. 0 or -ENOMEM.
int sim_space_add(struct sim_space *space, uint64_t start, uint64_t bytes);
// Removes a free piece that was added and is whole again.
void sim_space_remove(struct sim_space *space, struct sim_range *range);
// The lowest piece of that many bytes at that alignment (a power of two), or NULL.
struct sim_range *sim_space_take(struct sim_space *space, uint64_t bytes, uint64_t align);
// Exactly [start, start + bytes), or NULL when it isn't free.
struct sim_range *sim_space_take_at(struct sim_space *space, uint64_t start, uint64_t bytes);
// Frees a piece; returns the free piece it is part of now.
struct sim_range *sim_space_give(struct sim_space *space, struct sim_range *range);
// Forgets free addresses again: whatever free pieces make up [start, start + bytes).
void sim_space_take_away(struct sim_space *space, uint64_t start, uint64_t bytes);
// Frees the spare nodes of a space that is no longer used.
void sim_space_free_nodes(struct sim_space *space);
// The piece that holds the address, or NULL if that is free.
struct sim_range *sim_space_find(const struct sim_space *space, uint64_t address);
// The first used piece that starts at or after the address, or NULL.
struct sim_range *sim_space_next(const struct sim_space *space, uint64_t address);

#endif
