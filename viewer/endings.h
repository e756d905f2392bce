/*
 * Which call stacks come only after the last Python line of their thread: what Python lets go as it ends has no lines
 * any more, and an interpreter without symbols does not tell by its functions that it ends. Filled by the survey of a
 * report, asked by stacks.c.
 */
#ifndef MEMTRACE_VIEWER_ENDINGS_H
#define MEMTRACE_VIEWER_ENDINGS_H

#include <stdbool.h>

#include "tracer/reader.h"
#include "viewer/definitions.h"

struct mt_endings;

// The definitions must outlive it.
struct mt_endings *mt_endings_new(const struct mt_definitions *definitions);
void mt_endings_free(struct mt_endings *endings);

// Every event, in order of time.
void mt_endings_follow(struct mt_endings *endings, const struct mt_record_event *event);

// Of a stack without Python lines: whether no Python line followed it on its thread, however often it came.
bool mt_endings_is_last(const struct mt_endings *endings, uint32_t stack);

#endif
