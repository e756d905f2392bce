/*
 * Counts by site and size; see kind_sites.h.
 */
#include "viewer/kind_sites.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/memory.h"

// A large block of PyTorch's may be up to so much larger than what was asked for: the rest is not split off.
#define UNSPLIT ((uint64_t)1 << 20)

struct size {
    uint64_t bytes;
    uint32_t candidates, most_candidates; // for parameters
    uint32_t gradients, most_gradients;   // made in backward
    UT_hash_handle hh;
};

struct mt_kind_sites {
    const struct mt_report *report;
    bool model;
    struct mt_kind_site *sites;
    struct size *sizes;
};

struct mt_kind_sites *mt_kind_sites_new(const struct mt_report *report, bool model) {
    struct mt_kind_sites *sites = mt_allocate(sizeof(*sites));
    sites->report = report;
    sites->model = model;
    return sites;
}

void mt_kind_sites_free(struct mt_kind_sites *sites) {
    if (!sites) return;
    struct mt_kind_site *site, *next_site;
    HASH_ITER(hh, sites->sites, site, next_site) {
        HASH_DEL(sites->sites, site);
        free(site);
    }
    struct size *size, *next_size;
    HASH_ITER(hh, sites->sizes, size, next_size) {
        HASH_DEL(sites->sizes, size);
        free(size);
    }
    free(sites);
}

static bool is_cuda_library(const char *module) {
    static const char *const names[] = {"libcublas", "libcudnn",    "libcusolver", "libcusparse", "libcufft",
                                        "libcurand", "libcutensor", "libnccl",     "libnvshmem"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(mt_base_name(module), names[i], strlen(names[i])) == 0) return true;
    return false;
}

// What the native functions that the innermost Python line called tell.
static enum mt_site_role role_by_names(const struct mt_report *report, uint32_t stack) {
    for (uint32_t id = stack; id;) {
        const struct mt_node *node = mt_definitions_node(report->definitions, id);
        if (!node || node->python) return MT_ROLE_NONE;
        struct mt_places places = mt_symbols_node(report->symbols, node);
        for (size_t i = 0; i < places.count; i++) {
            const char *function = places.items[i]->function;
            if (function && strstr(function, "orkspace")) return MT_ROLE_WORKSPACE;
            if (function && strncmp(function, "c10d::", 6) == 0) return MT_ROLE_EXCHANGE;
        }
        id = node->parent;
    }
    return MT_ROLE_NONE;
}

static enum mt_site_role role_of(const struct mt_report *report, const struct mt_live *live,
                                 const struct mt_place *spot) {
    const struct mt_place *origin = mt_stacks_site(report->stacks, live->stack)->origin;
    // DistributedDataParallel itself, not the model that it wraps.
    if (spot->file && strstr(spot->file, "/torch/nn/parallel/distributed.py")) return MT_ROLE_EXCHANGE;
    if (live->memory == MT_MEMORY_TENSOR) return role_by_names(report, live->stack);
    return origin->module && is_cuda_library(origin->module) ? MT_ROLE_LIBRARY : MT_ROLE_NONE;
}

static struct mt_kind_site *find_site(const struct mt_kind_sites *sites, const struct mt_live *live) {
    struct mt_kind_site *found, wanted = {.key = {live->bytes, live->stack}};
    HASH_FIND(hh, sites->sites, &wanted.key, sizeof(wanted.key), found);
    return found;
}

static struct size *find_size(const struct mt_kind_sites *sites, uint64_t bytes) {
    struct size *found;
    HASH_FIND(hh, sites->sizes, &bytes, sizeof(bytes), found);
    return found;
}

static struct size *size_of(struct mt_kind_sites *sites, uint64_t bytes) {
    struct size *size = find_size(sites, bytes);
    if (size) return size;
    size = mt_allocate(sizeof(*size));
    size->bytes = bytes;
    HASH_ADD(hh, sites->sizes, bytes, sizeof(size->bytes), size);
    return size;
}

static bool is_candidate(const struct mt_kind_sites *sites, const struct mt_phase_point *born) {
    if (sites->model) return born->phase == MT_PHASE_SETUP;
    return born->phase == MT_PHASE_OTHER && born->position == MT_BEFORE_FORWARD;
}

struct mt_kind_site *mt_kind_sites_born(struct mt_kind_sites *sites, const struct mt_live *live,
                                        const struct mt_phase_point *born, const struct mt_place *spot) {
    struct mt_kind_site *site = find_site(sites, live);
    if (!site) {
        site = mt_allocate(sizeof(*site));
        site->key.bytes = live->bytes;
        site->key.stack = live->stack;
        site->position = born->position;
        site->first_step = born->step;
        site->role = role_of(sites->report, live, spot);
        site->maker = mt_stacks_site(sites->report->stacks, live->stack)->user;
        site->own = spot->file == site->maker->file;
        HASH_ADD(hh, sites->sites, key, sizeof(site->key), site);
    }
    if (!site->steps || site->last_step != born->step) site->steps++;
    site->last_step = born->step;
    if (is_candidate(sites, born)) {
        site->candidates++;
        size_of(sites, live->bytes)->candidates++;
    }
    if (born->phase == MT_PHASE_BACKWARD && site->role == MT_ROLE_NONE) size_of(sites, live->bytes)->gradients++;
    return site;
}

void mt_kind_sites_died(struct mt_kind_sites *sites, struct mt_kind_site *site, const struct mt_phase_point *born) {
    if (is_candidate(sites, born)) {
        site->candidates--;
        size_of(sites, site->key.bytes)->candidates--;
    }
    if (born->phase == MT_PHASE_BACKWARD && site->role == MT_ROLE_NONE) size_of(sites, site->key.bytes)->gradients--;
}

static void raise_to(uint32_t *most, uint32_t now) {
    if (now > *most) *most = now;
}

void mt_kind_sites_backward_ended(struct mt_kind_sites *sites) {
    for (struct size *size = sites->sizes; size; size = size->hh.next) {
        raise_to(&size->most_candidates, size->candidates);
        raise_to(&size->most_gradients, size->gradients);
    }
    for (struct mt_kind_site *site = sites->sites; site; site = site->hh.next)
        raise_to(&site->most_candidates, site->candidates);
}

const struct mt_kind_site *mt_kind_sites_find(const struct mt_kind_sites *sites, const struct mt_live *live) {
    return find_site(sites, live);
}

bool mt_kind_sites_have_parameter(const struct mt_kind_sites *sites, uint64_t bytes, bool tensor) {
    const struct size *exact = find_size(sites, bytes);
    if (exact && exact->most_candidates) return true;
    for (const struct size *size = sites->sizes; size && tensor && bytes > UNSPLIT; size = size->hh.next) {
        uint64_t difference = size->bytes > bytes ? size->bytes - bytes : bytes - size->bytes;
        if (size->most_candidates && size->bytes > UNSPLIT && difference <= UNSPLIT) return true;
    }
    return false;
}

bool mt_kind_sites_have_gradients(const struct mt_kind_sites *sites) {
    for (const struct size *size = sites->sizes; size; size = size->hh.next)
        if (size->most_gradients) return true;
    return false;
}

static bool is_certain(const struct mt_kind_sites *sites, const struct mt_kind_site *site) {
    const struct size *size = find_size(sites, site->key.bytes);
    return site->most_candidates && size && size->most_gradients && size->most_candidates <= size->most_gradients;
}

// Whether certain parameters come from the same function.
static bool makes_parameters(const struct mt_kind_sites *sites, const struct mt_place *maker) {
    for (const struct mt_kind_site *site = sites->sites; site; site = site->hh.next)
        if (maker->function && site->maker->function == maker->function && site->maker->file == maker->file &&
            is_certain(sites, site))
            return true;
    return false;
}

enum mt_match mt_kind_sites_match(const struct mt_kind_sites *sites, const struct mt_kind_site *site) {
    const struct size *size = find_size(sites, site->key.bytes);
    if (!size || !size->most_gradients) return MT_MATCH_NONE;
    if (size->most_candidates <= size->most_gradients) return MT_MATCH_ALL;
    if (makes_parameters(sites, site->maker)) return MT_MATCH_MAKER;
    uint32_t made = 0;
    for (const struct mt_kind_site *other = sites->sites; other; other = other->hh.next)
        if (other->key.bytes == site->key.bytes && other->most_candidates && makes_parameters(sites, other->maker))
            made += other->most_candidates;
    return made >= size->most_gradients ? MT_MATCH_NOT_MAKER : MT_MATCH_AMBIGUOUS;
}
