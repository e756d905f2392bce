/*
 * Which feed brings the events: CUPTI's callbacks or our own symbol hooks.
 */
#ifndef MEMTRACE_PRELOAD_FEED_H
#define MEMTRACE_PRELOAD_FEED_H

#include "preload/options.h"

// Starts the feed that was asked for, or what works instead, and writes down which and why. Once, by the session.
void mt_feed_start(enum mt_feed wanted);

// Another CUPTI client is about to call `function`: where the hooks can take over, they do, and CUPTI is free.
// Thread-safe.
void mt_feed_step_aside(const char *function);

// Writes what the feeds found out about each other. Once, at the session's end.
void mt_feed_end(void);

#endif
