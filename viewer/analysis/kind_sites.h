/*
 * What can be told of allocations only from many of them: is the same made anew in each step, and does backward() keep
 * memory of a parameter's size? Counted by call site and by size while kinds.c follows the trace; asked afterwards.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_KIND_SITES_H
#define MEMTRACE_VIEWER_ANALYSIS_KIND_SITES_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "viewer/analysis/phases.h"
#include "viewer/analysis/report.h"

enum mt_site_role { MT_ROLE_NONE, MT_ROLE_LIBRARY, MT_ROLE_WORKSPACE, MT_ROLE_EXCHANGE };

// Allocations of one size by one call stack.
struct mt_kind_site {
    struct {
        uint64_t bytes, stack;
    } key;
    enum mt_position position;    // of the first
    uint32_t first_step;          // in which the first was made …
    uint32_t first_forwards;      // … and how many forwards had begun
    bool outside;                 // any was made outside all phases
    uint32_t last_step, steps;    // the last one, and in how many
    uint32_t candidates;          // for parameters: live now …
    uint32_t most_candidates;     // … and most of them at the end of a backward
    bool grown;                   // since the last end of a backward
    enum mt_site_role role;       // what the stack itself says
    const struct mt_place *maker; // the user line
    bool own;                     // no Python line of a library stands between it and the allocation
    UT_hash_handle hh;
};

struct mt_kind_sites;

// model: parameters are those made with a model (MT_PHASE_SETUP), not just anything that is made before the steps.
struct mt_kind_sites *mt_kind_sites_new(const struct mt_report *report, bool model);
void mt_kind_sites_free(struct mt_kind_sites *sites);

// The site of an allocation that is made at this point. spot: the line closest to it, a library's too.
struct mt_kind_site *mt_kind_sites_at(struct mt_kind_sites *sites, const struct mt_live *live,
                                      const struct mt_phase_point *born, const struct mt_place *spot);
// Counts one in, and out again; the point is the same.
void mt_kind_sites_born(struct mt_kind_sites *sites, struct mt_kind_site *site, const struct mt_phase_point *born);
void mt_kind_sites_died(struct mt_kind_sites *sites, struct mt_kind_site *site, const struct mt_phase_point *born);
void mt_kind_sites_backward_ended(struct mt_kind_sites *sites);
void mt_kind_sites_finish(struct mt_kind_sites *sites); // at the end of the trace; from then on it can be asked

const struct mt_kind_site *mt_kind_sites_find(const struct mt_kind_sites *sites, const struct mt_live *live);

// Whether anything of this size may be a parameter, and whether backward keeps anything at all.
bool mt_kind_sites_have_parameter(const struct mt_kind_sites *sites, uint64_t bytes, bool tensor);
bool mt_kind_sites_have_gradients(const struct mt_kind_sites *sites);

// Whether what a site makes outside all phases may be copies of parameters, an average of them over steps say, by its
// size: its line makes several, and nothing else, or it was first used after a forward, for which inputs come late.
bool mt_kind_sites_may_copy(const struct mt_kind_sites *sites, const struct mt_kind_site *site);

enum mt_match {
    MT_MATCH_NONE,      // backward keeps nothing of this size
    MT_MATCH_ALL,       // for each candidate of this size at least one
    MT_MATCH_MAKER,     // for fewer, but this one was made where certain parameters are made
    MT_MATCH_NOT_MAKER, // for fewer, and those are known to be made elsewhere
    MT_MATCH_AMBIGUOUS, // for fewer
};
enum mt_match mt_kind_sites_match(const struct mt_kind_sites *sites, const struct mt_kind_site *site);

#endif
