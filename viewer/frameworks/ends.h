/*
 * Which call stacks come only after the last Python line of their thread: what Python lets go as it ends has no lines
 * any more, and an interpreter without symbols does not tell by its functions that it ends. Filled by the survey of a
 * report, asked by stacks.c.
 */
#ifndef MEMTRACE_VIEWER_FRAMEWORKS_ENDS_H
#define MEMTRACE_VIEWER_FRAMEWORKS_ENDS_H

#include <stdbool.h>

#include "tracer/reader.h"
#include "viewer/trace/definitions.h"

struct mt_ends;

// The definitions must outlive it.
struct mt_ends *mt_ends_new(const struct mt_definitions *definitions);
void mt_ends_free(struct mt_ends *endings);

// Every event, in order of time.
void mt_ends_follow(struct mt_ends *endings, const struct mt_record_event *event);

// Of a stack without Python lines: whether no Python line followed it on its thread, however often it came.
bool mt_ends_is_last(const struct mt_ends *endings, uint32_t stack);

#endif
