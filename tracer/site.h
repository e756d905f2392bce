/*
 * The sites of an event chunk, through which a repeated record becomes a short one (format.h, "Repetition"). Writer and
 * reader keep the same table, each from the records it has seen of the chunk; a site that two things share belongs to
 * the last one that was written in full.
 */
#ifndef MEMTRACE_TRACER_SITE_H
#define MEMTRACE_TRACER_SITE_H

#include <stdbool.h>

#include "tracer/checksum.h"

struct mt_site {
    uint64_t address; // LAUNCH: 0
    uint64_t extra;   // ALLOC: bytes, LAUNCH: launch id, FREE: 0
    uint32_t api, stack;
    uint32_t chunk; // which chunk of its owner it is of; sites of earlier ones are empty. Owners count from 1
    uint32_t type;  // enum mt_record
};

// Which site a full record fills.
static inline uint32_t mt_site(uint32_t type, uint32_t api, uint32_t stack, uint64_t extra) {
    uint64_t what = (uint64_t)api << 32 | stack;
    return (uint32_t)(mt_step(mt_step(what, type), extra) % MT_SITES);
}

static inline bool mt_site_is(const struct mt_site *site, uint32_t chunk, uint32_t type, uint32_t api, uint32_t stack,
                              uint64_t extra) {
    return site->chunk == chunk && site->type == type && site->api == api && site->stack == stack &&
           site->extra == extra;
}

#endif
