/*
 * Which feed brings the events: CUPTI's callbacks or our own symbol hooks.
 */
#ifndef MEMTRACE_PRELOAD_FEED_H
#define MEMTRACE_PRELOAD_FEED_H

#include <stdbool.h>

#include "preload/options.h"

// Starts the feed that was asked for, or what works instead, and writes down which and why. Once, by the session.
// `init_was_hooked`: it started because the program called the cuInit of hooks/lookup.c.
void mt_feed_start(enum mt_feed wanted, bool init_was_hooked);

// Another CUPTI client is about to call `function`: where the hooks can take over, they do, and CUPTI is free.
// Thread-safe.
void mt_feed_step_aside(const char *function);

// CUPTI says that it finalizes itself after a fatal error. Thread-safe.
void mt_feed_cupti_failed(const char *message);

// A hook saw a call that CUPTI should have reported and did not: if it was finalized, the hooks take over. Inside
// the guard.
void mt_feed_cupti_was_silent(void);

// The program made a graph to launch: where CUPTI makes that slow, its user is told once.
void mt_feed_graph_instantiated(void);

// Something that a call gave or did showed up without that call. Says so once, and names the feed that sees it. Inside
// the guard.
void mt_feed_unseen(const char *what);

// Looks for libraries that go past the hooks. Takes the loader's lock. Inside the guard.
void mt_feed_look_for_bypass(void);

// exit has begun, and CUPTI can still be asked: whether it recorded to the end. Inside the guard.
void mt_feed_exit_begins(void);

// Writes what the feeds found out about each other. Once, at the session's end.
void mt_feed_end(void);

#endif
