/*
 * What the tracer's tests share: a folder of their own for each test, files as bytes, and a trace read whole into
 * memory, so that a test can say literally what should be in it.
 */
#ifndef MEMTRACE_TESTS_TRACE_FILES_H
#define MEMTRACE_TESTS_TRACE_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/reader.h"
#include "tracer/trace.h"

// cmocka setup and teardown: *state is the path of an empty folder.
int folder_make(void **state);
int folder_remove(void **state);
// A path in that folder; the caller frees it.
char *path_in(void **state, const char *name);

struct bytes {
    uint8_t *data;
    size_t count;
};
struct bytes bytes_read(const char *path);
void bytes_write(const char *path, const void *data, size_t count);

// Definitions and events of a file, as the reader hands them out.
struct whole {
    enum mt_open_status status;
    uint32_t version;
    struct mt_file_header header;
    struct mt_reader *reader; // open until whole_free
    struct mt_definition *definitions;
    size_t definition_count;
    struct mt_record_event *events; // LOST records too
    size_t event_count;
    uint64_t lost; // sum of the LOST records
    struct mt_damage damage;
};
struct whole whole_read(const char *path);
void whole_free(struct whole *whole);

// The only definition of this type and id, which must be there.
const struct mt_definition *whole_find(const struct whole *whole, enum mt_record type, uint32_t id);
size_t whole_count(const struct whole *whole, enum mt_record type);
// Is string `id` this text?
bool whole_says(const struct whole *whole, uint32_t id, const char *text);

// A trace that must be creatable.
struct mt_trace *trace_make(const char *path);

// Waits for a child; its exit code, or minus the signal that ended it.
int child_wait(pid_t pid);

// Runs `work` in a child behind a filter of refuse.h, where it must come to `expected`, as child_wait tells it. Skips
// the test where there are no filters. A NULL filter is none.
void child_behind(bool (*filter)(void), int (*work)(const char *path), const char *path, int expected);

#endif
