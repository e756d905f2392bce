/*
 * Counts by site and size; see kind_sites.h.
 */
#include "viewer/analysis/kind_sites.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"

// A large block of PyTorch's may be up to so much larger than what was asked for: the rest is not split off.
#define UNSPLIT ((uint64_t)1 << 20)

struct size {
    uint64_t bytes;
    uint32_t candidates, most_candidates; // for parameters
    uint32_t gradients, most_gradients;   // made in backward
    uint64_t made;                        // of the candidates: by functions that make certain parameters
    bool grown;                           // since the last end of a backward
    UT_hash_handle hh;
};

// A function that makes certain parameters.
struct maker {
    struct {
        const char *function, *file;
    } key;
    UT_hash_handle hh;
};

// A line that makes memory outside all phases: of one parameter's size, of several, of any others.
struct line {
    const struct mt_place *place; // key
    uint64_t bytes;
    bool several, others;
    UT_hash_handle hh;
};

// What has grown since the last end of a backward: steps may be many, and all of sizes of their own.
struct grown {
    struct mt_kind_site **sites;
    struct size **sizes;
    size_t site_count, site_capacity, size_count, size_capacity;
};

struct mt_kind_sites {
    const struct mt_report *report;
    bool model;
    struct mt_kind_site *sites;
    struct size *sizes;
    struct grown grown;
    // Once all is counted:
    struct maker *makers;
    struct line *lines;
    uint64_t *parameters; // sizes of large candidates, ascending
    size_t parameter_count, parameter_capacity;
    bool gradients; // backward keeps anything at all
};

struct mt_kind_sites *mt_kind_sites_new(const struct mt_report *report, bool model) {
    struct mt_kind_sites *sites = mt_allocate(sizeof(*sites));
    sites->report = report;
    sites->model = model;
    return sites;
}

void mt_kind_sites_free(struct mt_kind_sites *sites) {
    if (!sites) return;
    mt_hash_free(sites->sites);
    mt_hash_free(sites->sizes);
    mt_hash_free(sites->makers);
    mt_hash_free(sites->lines);
    free(sites->grown.sites);
    free(sites->grown.sizes);
    free(sites->parameters);
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

static void note_site(struct mt_kind_sites *sites, struct mt_kind_site *site) {
    struct grown *grown = &sites->grown;
    if (site->grown) return;
    site->grown = true;
    mt_grow(&grown->sites, &grown->site_capacity, grown->site_count + 1);
    grown->sites[grown->site_count++] = site;
}

static void note_size(struct mt_kind_sites *sites, struct size *size) {
    struct grown *grown = &sites->grown;
    if (size->grown) return;
    size->grown = true;
    mt_grow(&grown->sizes, &grown->size_capacity, grown->size_count + 1);
    grown->sizes[grown->size_count++] = size;
}

struct mt_kind_site *mt_kind_sites_at(struct mt_kind_sites *sites, const struct mt_live *live,
                                      const struct mt_phase_point *born, const struct mt_place *spot) {
    struct mt_kind_site *site = find_site(sites, live);
    if (site) return site;
    site = mt_allocate(sizeof(*site));
    site->key.bytes = live->bytes;
    site->key.stack = live->stack;
    site->position = born->position;
    site->first_step = born->step;
    site->first_forwards = born->forwards;
    site->role = role_of(sites->report, live, spot);
    site->maker = mt_stacks_site(sites->report->stacks, live->stack)->user;
    site->own = spot->file == site->maker->file;
    HASH_ADD(hh, sites->sites, key, sizeof(site->key), site);
    return site;
}

void mt_kind_sites_born(struct mt_kind_sites *sites, struct mt_kind_site *site, const struct mt_phase_point *born) {
    if (!site->steps || site->last_step != born->step) site->steps++;
    site->last_step = born->step;
    if (born->phase == MT_PHASE_OTHER) site->outside = true;
    struct size *size = size_of(sites, site->key.bytes);
    if (is_candidate(sites, born)) {
        site->candidates++;
        size->candidates++;
        note_site(sites, site);
        note_size(sites, size);
    }
    if (born->phase == MT_PHASE_BACKWARD && site->role == MT_ROLE_NONE) {
        size->gradients++;
        note_size(sites, size);
    }
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
    struct grown *grown = &sites->grown;
    for (size_t i = 0; i < grown->size_count; i++) {
        struct size *size = grown->sizes[i];
        raise_to(&size->most_candidates, size->candidates);
        raise_to(&size->most_gradients, size->gradients);
        size->grown = false;
    }
    for (size_t i = 0; i < grown->site_count; i++) {
        raise_to(&grown->sites[i]->most_candidates, grown->sites[i]->candidates);
        grown->sites[i]->grown = false;
    }
    grown->size_count = grown->site_count = 0;
}

static bool is_certain(const struct mt_kind_sites *sites, const struct mt_kind_site *site) {
    const struct size *size = find_size(sites, site->key.bytes);
    return site->most_candidates && size && size->most_gradients && size->most_candidates <= size->most_gradients;
}

static struct maker *find_maker(const struct mt_kind_sites *sites, const struct mt_place *place) {
    struct maker *found, wanted = {.key = {place->function, place->file}};
    HASH_FIND(hh, sites->makers, &wanted.key, sizeof(wanted.key), found);
    return found;
}

static void note_maker(struct mt_kind_sites *sites, const struct mt_place *place) {
    if (!place->function || find_maker(sites, place)) return;
    struct maker *maker = mt_allocate(sizeof(*maker));
    maker->key.function = place->function;
    maker->key.file = place->file;
    HASH_ADD(hh, sites->makers, key, sizeof(maker->key), maker);
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// Of a size that parameters have; without a model, that backward keeps.
static bool has_parameters_size(const struct mt_kind_sites *sites, const struct mt_kind_site *site) {
    const struct size *size = find_size(sites, site->key.bytes);
    return size && (sites->model ? size->most_candidates : size->most_gradients);
}

static struct line *find_line(const struct mt_kind_sites *sites, const struct mt_place *place) {
    struct line *found;
    HASH_FIND_PTR(sites->lines, &place, found);
    return found;
}

static void note_line(struct mt_kind_sites *sites, const struct mt_kind_site *site) {
    struct line *line = find_line(sites, site->maker);
    if (!line) {
        line = mt_allocate(sizeof(*line));
        line->place = site->maker;
        HASH_ADD_PTR(sites->lines, place, line);
    }
    if (!has_parameters_size(sites, site))
        line->others = true;
    else if (!line->bytes)
        line->bytes = site->key.bytes;
    else if (line->bytes != site->key.bytes)
        line->several = true;
}

void mt_kind_sites_finish(struct mt_kind_sites *sites) {
    mt_kind_sites_backward_ended(sites);
    for (const struct size *size = sites->sizes; size; size = size->hh.next) {
        if (size->most_gradients) sites->gradients = true;
        if (!size->most_candidates || size->bytes <= UNSPLIT) continue;
        mt_grow(&sites->parameters, &sites->parameter_capacity, sites->parameter_count + 1);
        sites->parameters[sites->parameter_count++] = size->bytes;
    }
    if (sites->parameter_count) qsort(sites->parameters, sites->parameter_count, sizeof(*sites->parameters), ascending);
    for (const struct mt_kind_site *site = sites->sites; site; site = site->hh.next)
        if (is_certain(sites, site)) note_maker(sites, site->maker);
    for (const struct mt_kind_site *site = sites->sites; site; site = site->hh.next)
        if (site->most_candidates && find_maker(sites, site->maker))
            size_of(sites, site->key.bytes)->made += site->most_candidates;
    for (const struct mt_kind_site *site = sites->sites; site; site = site->hh.next)
        if (site->outside) note_line(sites, site);
}

const struct mt_kind_site *mt_kind_sites_find(const struct mt_kind_sites *sites, const struct mt_live *live) {
    return find_site(sites, live);
}

bool mt_kind_sites_have_parameter(const struct mt_kind_sites *sites, uint64_t bytes, bool tensor) {
    const struct size *exact = find_size(sites, bytes);
    if (exact && exact->most_candidates) return true;
    if (!tensor || bytes <= UNSPLIT) return false;
    size_t low = 0, high = sites->parameter_count; // the first one that is not too small
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sites->parameters[middle] < bytes - UNSPLIT)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sites->parameter_count && sites->parameters[low] - UNSPLIT <= bytes;
}

bool mt_kind_sites_have_gradients(const struct mt_kind_sites *sites) {
    return sites->gradients;
}

enum mt_match mt_kind_sites_match(const struct mt_kind_sites *sites, const struct mt_kind_site *site) {
    const struct size *size = find_size(sites, site->key.bytes);
    if (!size || !size->most_gradients) return MT_MATCH_NONE;
    if (size->most_candidates <= size->most_gradients) return MT_MATCH_ALL;
    if (find_maker(sites, site->maker)) return MT_MATCH_MAKER;
    return size->made >= size->most_gradients ? MT_MATCH_NOT_MAKER : MT_MATCH_AMBIGUOUS;
}

bool mt_kind_sites_may_copy(const struct mt_kind_sites *sites, const struct mt_kind_site *site) {
    const struct line *line = find_line(sites, site->maker);
    if (!line || !has_parameters_size(sites, site)) return false;
    return site->first_forwards || (line->several && !line->others);
}
