/*
 * The CUPTI feed: driver-API callbacks, enabled entry point by entry point. Sees every path into the driver, however
 * the program found it; but a process has room for one CUPTI client.
 */
#ifndef MEMTRACE_PRELOAD_CUPTI_FEED_H
#define MEMTRACE_PRELOAD_CUPTI_FEED_H

#include <stdbool.h>
#include <stddef.h>

// Loads libcupti, subscribes and enables what the table lists. 0, or -1 with a sentence in `why` saying what it failed
// on; then nothing is left subscribed.
int mt_cupti_feed_start(char *why, size_t why_bytes);

// False once CUPTI has forgotten us: it was finalized, or another took our place. Takes CUPTI's lock.
bool mt_cupti_feed_lives(void);

// Unsubscribes. Callbacks that other threads are in may still end afterwards.
void mt_cupti_feed_stop(void);

#endif
