/*
 * Which feed brings the events: CUPTI's callbacks or our own symbol hooks.
 */
#ifndef MEMTRACE_PRELOAD_FEED_H
#define MEMTRACE_PRELOAD_FEED_H

#include "preload/options.h"

// Starts the feed that was asked for, or what works instead, and writes down which and why. Once, by the session.
void mt_feed_start(enum mt_feed wanted);

#endif
