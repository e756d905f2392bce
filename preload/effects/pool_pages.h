/*
 * Which pages are known to be in the pools' reservations, so that an allocation that reuses them need not ask the
 * driver whether its pool has grown: that question costs more than all else we do for such a call. A page is known once
 * an allocation was seen on it, until a pool shrinks or goes. Forgetting costs a question, nothing else. Used by
 * effects/pools.c.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_POOL_PAGES_H
#define MEMTRACE_PRELOAD_EFFECTS_POOL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

// True if all pages of [address, address + bytes) are known; otherwise they are from now on. Thread-safe, lock-free.
bool mt_pool_pages_known(uint64_t address, uint64_t bytes);

void mt_pool_pages_forget(void);

#endif
