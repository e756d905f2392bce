/*
 * Heap memory that cannot run out quietly; see memory.h.
 */
#include "viewer/base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory, size_t bytes) {
    if (!memory) {
        fprintf(stderr, "memtrace-report: out of memory (%zu bytes asked for)\n", bytes);
        exit(2);
    }
    return memory;
}

void *mt_allocate(size_t bytes) {
    return checked(calloc(1, bytes ? bytes : 1), bytes);
}

void *mt_reallocate(void *old, size_t bytes) {
    return checked(realloc(old, bytes ? bytes : 1), bytes);
}

char *mt_copy_text(const char *text, size_t bytes) {
    char *copy = mt_allocate(bytes + 1);
    if (bytes) memcpy(copy, text, bytes);
    return copy;
}

char *mt_format_text(const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    return checked(length < 0 ? NULL : text, 0);
}

void *mt_grow_bytes(void *array, size_t *capacity, size_t count, size_t element_bytes) {
    if (count <= *capacity) return array;
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < count) wanted *= 2;
    array = mt_reallocate(array, wanted * element_bytes);
    memset((char *)array + *capacity * element_bytes, 0, (wanted - *capacity) * element_bytes);
    *capacity = wanted;
    return array;
}
