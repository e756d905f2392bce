/*
 * Which memory has been handed out, by calls that were seen, and not come back: what comes back without that tells of
 * calls that went past the feed. Counters that memory shares by its hash, so it costs a few atomic additions an event,
 * needs no lock and no room that grows, and errs in one direction alone. All functions are thread-safe.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_SEEN_H
#define MEMTRACE_PRELOAD_EFFECTS_SEEN_H

#include <stdbool.h>
#include <stdint.h>

// An address or a handle was handed out.
void mt_seen_add(uint64_t address);

// Likewise, and may come back more than once: graphs allocate at each launch, handles have references.
void mt_seen_keep(uint64_t address);

// It came back. False: it certainly was not out. True: it was, or something else that shares its counters.
bool mt_seen_take(uint64_t address);

#endif
